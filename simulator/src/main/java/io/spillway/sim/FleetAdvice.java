package io.spillway.sim;

import io.spillway.core.scheduling.DispatchSettings;
import io.spillway.sim.scenario.Scenario;
import io.spillway.sim.scenario.ScenarioLimits;
import io.spillway.sim.scenario.SimulatedCluster;
import io.spillway.sim.scenario.SimulatedWorker;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Search for the smallest fleet with which a scenario meets a target: it doubles the slots until it does, and halves
 * what is between. Workers are equal, and none has more slots than the first one of the scenario.
 *
 * @param targetMillis longest p99 of the ages at the first attempt
 * @param groups       whose; empty for all
 * @param seed         of all randomness
 */
public record FleetAdvice(Scenario scenario, double targetMillis, Set<String> groups, long seed) {
    /** Twice the slots that change the p99 by less than this share show that it is not for want of slots. */
    private static final double SAME = 0.02;
    /** For balance: docs/sizing.md. */
    private static final int PARTITIONS_EACH = 2;

    /**
     * A fleet that was tried.
     *
     * @param p99Millis of the group with the highest, infinite if the run did not end
     */
    public record Tried(int workers, int slotsEach, int partitions, double p99Millis, boolean meets) {
        /** Returns the slots of all workers. */
        public int slots() {
            return workers * slotsEach;
        }
    }

    /** @throws IllegalArgumentException for a group that the scenario does not have */
    public FleetAdvice {
        groups = Set.copyOf(groups);
        for (String group : groups) {
            if (scenario.groups().stream().noneMatch(each -> each.name().equals(group))) {
                throw new IllegalArgumentException("the scenario has no group " + group);
            }
        }
    }

    /**
     * Returns the fleets that were tried, in the order of their slots: the first that meets the target is the advice.
     * None does if it cannot be met by more slots.
     *
     * @param tried is told of each one when it has run
     */
    public List<Tried> search(Consumer<Tried> tried) {
        List<Tried> all = new ArrayList<>();
        int tooFew = 0;
        int enough = 0;
        double before = 0;
        for (int slots = 1; enough == 0 && isPossible(slots); slots *= 2) {
            Tried one = run(slots, all, tried);
            tooFew = one.meets() ? tooFew : slots;
            enough = one.meets() ? slots : 0;
            if (Math.abs(before - one.p99Millis()) <= SAME * one.p99Millis() && before <= Double.MAX_VALUE) {
                break;
            }
            before = one.p99Millis();
        }
        // To within a twentieth: more is in the noise of the traffic.
        while (enough - tooFew > Math.max(1, enough / 20)) {
            int slots = (tooFew + enough) / 2;
            if (run(slots, all, tried).meets()) {
                enough = slots;
            } else {
                tooFew = slots;
            }
        }
        all.sort((one, other) -> Integer.compare(one.slots(), other.slots()));
        return all;
    }

    private boolean isPossible(int slots) {
        int workers = Math.ceilDiv(slots, template().dispatch().slots());
        return workers <= ScenarioLimits.MAX_WORKERS
                && PARTITIONS_EACH * workers <= SimulatedCluster.MOST_PARTITIONS;
    }

    private SimulatedWorker template() {
        return scenario.cluster().workers().getFirst();
    }

    private Tried run(int slots, List<Tried> all, Consumer<Tried> tried) {
        DispatchSettings given = template().dispatch();
        int workers = Math.ceilDiv(slots, given.slots());
        int slotsEach = Math.ceilDiv(slots, workers);
        int partitions = Math.max(scenario.cluster().partitions(), PARTITIONS_EACH * workers);
        double p99 = p99(with(Collections.nCopies(
                workers, new SimulatedWorker(given.withSlots(slotsEach), template().slowdown())), partitions));
        Tried one = new Tried(workers, slotsEach, partitions, p99, p99 <= targetMillis);
        all.add(one);
        tried.accept(one);
        return one;
    }

    private Scenario with(List<SimulatedWorker> workers, int partitions) {
        SimulatedCluster cluster = scenario.cluster();
        return new Scenario(scenario.name(), scenario.description(), scenario.durationMillis(),
                scenario.drainMillis(), new SimulatedCluster(
                        workers, partitions, cluster.shardSeed(), cluster.stuckAfterMillis(), cluster.commitMillis(),
                        cluster.restartMillis(), cluster.killerDeaths(), cluster.protection()),
                scenario.groups(), scenario.phases());
    }

    private double p99(Scenario tried) {
        SimulationResult result;
        try {
            result = Simulation.run(
                    tried, Simulation.Discipline.SPILLWAY, seed, (nowMillis, durationMillis, arrived, waiting) -> { });
        } catch (SimulationException e) {
            // More waits than a simulation holds.
            return Double.POSITIVE_INFINITY;
        }
        return result.groups().stream()
                .filter(row -> groups.isEmpty() || groups.contains(row.name()))
                .mapToDouble(row -> row.waiting() > 0 ? Double.POSITIVE_INFINITY : row.p99Millis())
                .max().orElse(Double.POSITIVE_INFINITY);
    }
}
