package io.spillway.sim;

import io.spillway.core.overload.ProtectionSettings;
import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.PolicySettings;
import io.spillway.core.policy.TenantPolicy;
import io.spillway.core.scheduling.DispatchSettings;
import io.spillway.sim.Simulation.Discipline;
import io.spillway.sim.scenario.Arrivals;
import io.spillway.sim.scenario.Handling;
import io.spillway.sim.scenario.Latency;
import io.spillway.sim.scenario.Scenario;
import io.spillway.sim.scenario.SimulatedCluster;
import io.spillway.sim.scenario.SimulatedWorker;
import io.spillway.sim.scenario.TenantGroup;
import java.util.Collections;
import java.util.List;

/** Builders of scenarios for tests. */
final class Runs {
    static final long SEED = 20_261_121;
    static final long MINUTE = 60_000;
    /** The default of {@code topics.partitions}, as {@code SimulateCommandTest} says. */
    static final int PARTITIONS = 24;
    static final long HOUR = 60 * MINUTE;

    private Runs() {}

    static TenantPolicy policy(PolicyField field, String value) {
        return TenantPolicy.of(PolicySettings.NONE_SET.with(field, value));
    }

    static TenantPolicy policy() {
        return TenantPolicy.of(PolicySettings.NONE_SET);
    }

    static TenantGroup group(String name, int count, Handling handling, Arrivals... arrivals) {
        return new TenantGroup(name, count, List.of(arrivals), List.of(), policy(), handling, List.of());
    }

    static Handling taking(double millis) {
        return Handling.of(new Latency.Constant(millis));
    }

    /** Returns a cluster with the defaults of a scenario file. */
    static SimulatedCluster cluster(int workers, int slots) {
        return cluster(workers, slots, 50, ProtectionSettings.DEFAULT);
    }

    static SimulatedCluster cluster(int workers, int slots, long commitMillis, ProtectionSettings protection) {
        DispatchSettings dispatch = new DispatchSettings(slots, 0.2, 0.05, 0.02, 4_000, 64L << 20, 100, true);
        return new SimulatedCluster(Collections.nCopies(workers, new SimulatedWorker(dispatch, 1)), PARTITIONS, 0,
                10_000, commitMillis, 10_000, 3, protection);
    }

    static Scenario scenario(long durationMillis, SimulatedCluster cluster, List<TenantGroup> groups,
            Scenario.Phase... phases) {
        return new Scenario("test", "", durationMillis, 24 * HOUR, cluster, groups, List.of(phases));
    }

    static SimulationResult run(Scenario scenario, Discipline discipline) {
        return run(scenario, discipline, SEED);
    }

    static SimulationResult run(Scenario scenario, Discipline discipline, long seed) {
        return Simulation.run(scenario, discipline, seed, (now, duration, arrived, waiting) -> { });
    }

    static SimulationResult.Row phase(SimulationResult result, String phase, String group) {
        return result.phases().stream()
                .filter(each -> each.phase().equals(phase) && each.row().name().equals(group))
                .findFirst().orElseThrow().row();
    }

    static SimulationResult.Row group(SimulationResult result, String name) {
        return result.groups().stream().filter(row -> row.name().equals(name)).findFirst().orElseThrow();
    }
}
