package io.spillway.drill;

import io.spillway.cli.terminal.Printer;
import io.spillway.config.Configuration;
import io.spillway.core.policy.TenantPolicy;
import io.spillway.operator.report.Instances;
import io.spillway.operator.report.QueueState;
import io.spillway.sim.Simulation;
import io.spillway.sim.SimulationException;
import io.spillway.sim.scenario.Arrivals;
import io.spillway.sim.scenario.Handling;
import io.spillway.sim.scenario.Latency;
import io.spillway.sim.scenario.Scenario;
import io.spillway.sim.scenario.ScenarioLimits;
import io.spillway.sim.scenario.SimulatedCluster;
import io.spillway.sim.scenario.SimulatedWorker;
import io.spillway.sim.scenario.TenantGroup;
import io.spillway.worker.WorkerSettings;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;

/**
 * What the simulator expects of a drill on the system as it is: its workers with their slots, its partitions, the
 * policies, and the traffic that it has now, as tenants of one rate and exponential handling times.
 *
 * @param loads  of the workers that run
 * @param others tenants that send now
 */
public record DrillForecast(
        Configuration configuration, Function<String, TenantPolicy> policies, List<Instances.Load> loads,
        List<QueueState.Tenant> others) {
    /** Least items a second of a tenant that counts as one that sends. */
    private static final double SENDS = 0.01;
    private static final long SEED = 0;

    /** Creates that of a system now. */
    public static DrillForecast of(
            Configuration configuration, Function<String, TenantPolicy> policies, QueueState state,
            Instances instances) {
        return new DrillForecast(configuration, policies,
                instances.workers().stream().map(Instances.Instance::load).filter(Objects::nonNull).toList(),
                state.tenants().stream().filter(tenant -> tenant.inPerSecond() >= SENDS).toList());
    }

    /** Says what it assumes, for people. */
    public String assumed() {
        return Printer.count(loads.size(), "worker") + " with " + slots() + " slots, "
                + Printer.count(configuration.topics().partitions(), "partition") + " a lane, "
                + (others.isEmpty() ? "no other traffic" : String.format(Locale.ROOT,
                        "%s with %.1f items/s of %.0f ms", Printer.count(others.size(), "other tenant"),
                        othersPerSecond(), othersMillis()));
    }

    /**
     * Runs a drill in virtual time.
     *
     * @param drainMillis longest time after the last item
     * @throws SimulationException if more waits than a simulation holds
     */
    public DrillResult expect(DrillPlan plan, long drainMillis) {
        Scenario scenario = plan.scenario(cluster(), policies, traffic(), drainMillis);
        return DrillResult.of(plan, Simulation.run(
                scenario, Simulation.Discipline.SPILLWAY, SEED, (nowMillis, durationMillis, arrived, waiting) -> { }));
    }

    private SimulatedCluster cluster() {
        WorkerSettings worker = configuration.worker();
        return new SimulatedCluster(
                loads.stream().map(load -> new SimulatedWorker(
                        worker.dispatch().withSlots((int) load.slots()), 1)).toList(),
                configuration.topics().partitions(), configuration.shards().seed(),
                configuration.shards().stuckAfter().toMillis(), SimulatedCluster.USUAL_COMMIT_MILLIS,
                SimulatedCluster.USUAL_RESTART_MILLIS, worker.killerDeaths(), configuration.router().protection());
    }

    private Optional<TenantGroup> traffic() {
        return others.isEmpty() ? Optional.empty() : Optional.of(new TenantGroup(
                "others", others.size(), List.of(new Arrivals.Poisson(othersPerSecond() / others.size())), List.of(),
                policies.apply(others.getFirst().tenant()),
                Handling.of(new Latency.Exponential(Math.min(othersMillis(), ScenarioLimits.DAY_MILLIS))), List.of()));
    }

    private long slots() {
        return loads.stream().mapToLong(Instances.Load::slots).sum();
    }

    private double othersPerSecond() {
        return others.stream().mapToDouble(QueueState.Tenant::inPerSecond).sum();
    }

    /** Returns the mean duration of an attempt, which the workers derive what they can handle from. */
    private double othersMillis() {
        double possible = loads.stream().mapToDouble(Instances.Load::possiblePerSecond).sum();
        return possible == 0 ? 0 : slots() * 1e3 / possible;
    }
}
