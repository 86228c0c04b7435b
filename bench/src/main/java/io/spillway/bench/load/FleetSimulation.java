package io.spillway.bench.load;

import io.spillway.bench.support.Scene;
import io.spillway.config.Configuration;
import io.spillway.core.item.Lane;
import io.spillway.core.policy.TenantPolicy;
import io.spillway.sim.Simulation;
import io.spillway.sim.SimulationResult;
import io.spillway.sim.scenario.Arrivals;
import io.spillway.sim.scenario.Handling;
import io.spillway.sim.scenario.Latency;
import io.spillway.sim.scenario.Scenario;
import io.spillway.sim.scenario.SimulatedCluster;
import io.spillway.sim.scenario.SimulatedWorker;
import io.spillway.sim.scenario.Surge;
import io.spillway.sim.scenario.TenantGroup;
import io.spillway.sim.scenario.Window;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** The scenario of a plan in the simulator, with the settings of the product that a run has. */
final class FleetSimulation {

    private FleetSimulation() {}

    /** Simulates it. */
    static FleetFigures run(FleetPlan plan, int limitSeconds, long seed) {
        SimulationResult result = Simulation.run(
                scenario(plan, limitSeconds), Simulation.Discipline.SPILLWAY, seed,
                (nowMillis, durationMillis, arrived, waiting) -> {});
        Map<FleetPlan.Phase, Ages> ages = new EnumMap<>(FleetPlan.Phase.class);
        result.phases().forEach(phase -> ages.put(FleetPlan.Phase.valueOf(phase.phase()), new Ages(
                phase.row().accepted(), phase.row().p50Millis(), phase.row().p99Millis(),
                phase.row().maxMillis())));
        SimulationResult.Row all = result.groups().getFirst();
        return new FleetFigures(
                ages, result.peakDepths().get(Lane.HOT), doneMillis(result) / 1e3 - plan.spikeEndSecond(),
                // No attempt fails, so a further one is of an item that had one.
                (double) (all.attempts() - all.accepted()) / all.accepted(), Double.NaN, false);
    }

    private static double doneMillis(SimulationResult result) {
        return result.samples().stream()
                .filter(sample -> sample.nowMillis() >= result.scenario().durationMillis())
                .filter(sample -> sample.depths().values().stream().allMatch(depth -> depth == 0))
                .mapToDouble(SimulationResult.Sample::nowMillis)
                .findFirst().orElse(Double.POSITIVE_INFINITY);
    }

    private static Scenario scenario(FleetPlan plan, int limitSeconds) {
        Configuration product = Scene.configuration("localhost:9092", "fleet", plan.settings());
        SimulatedCluster cluster = new SimulatedCluster(
                Collections.nCopies(plan.workers(), new SimulatedWorker(product.worker().dispatch(), 1)),
                plan.partitions(),
                product.shards().seed(),
                product.shards().stuckAfter().toMillis(),
                SimulatedCluster.USUAL_COMMIT_MILLIS, SimulatedCluster.USUAL_RESTART_MILLIS,
                product.worker().killerDeaths(), product.router().protection());
        TenantGroup tenants = new TenantGroup(
                "tenant", plan.tenants(), List.of(new Arrivals.Poisson(plan.perSecond() / plan.tenants())),
                plan.hasSpike() ? List.of(new Surge(window(plan, FleetPlan.Phase.SPIKE), plan.factor())) : List.of(),
                TenantPolicy.of(product.defaults()), Handling.of(new Latency.Constant(plan.handlerMillis())),
                List.of());
        return new Scenario(
                "fleet", "", TimeUnit.SECONDS.toMillis(plan.seconds()), TimeUnit.SECONDS.toMillis(limitSeconds),
                cluster, List.of(tenants),
                plan.phases().stream().map(each -> new Scenario.Phase(each.name(), window(plan, each))).toList());
    }

    private static Window window(FleetPlan plan, FleetPlan.Phase phase) {
        return new Window(
                TimeUnit.SECONDS.toMillis(plan.fromSecond(phase)), TimeUnit.SECONDS.toMillis(plan.toSecond(phase)));
    }
}
