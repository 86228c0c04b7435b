package io.spillway.sim;

import static io.spillway.sim.Runs.SEED;
import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.item.Lane;
import io.spillway.core.overload.ProtectionSettings;
import io.spillway.core.policy.PolicyField;
import io.spillway.core.scheduling.DispatchSettings;
import io.spillway.sim.Simulation.Discipline;
import io.spillway.sim.scenario.Arrivals;
import io.spillway.sim.scenario.Scenario;
import io.spillway.sim.scenario.SimulatedCluster;
import io.spillway.sim.scenario.SimulatedWorker;
import io.spillway.sim.scenario.Surge;
import io.spillway.sim.scenario.TenantGroup;
import io.spillway.sim.scenario.Window;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A fleet of N workers does what one of N times the slots does. 100 tenants, handlers of 100 ms, shipped defaults;
 * about 240 slots in all, which handle 2,400 items a second.
 */
class FleetRunsTest {
    private static final long TARGET_MILLIS = ProtectionSettings.DEFAULT.targetMillis();
    private static final int TENANTS = 100;
    private static final int SLOTS = 240;
    /** What a pool of all slots has at the same load, and a fifth more. */
    private static final double STEADY_MILLIS = 60;

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 5, 7, 10, 11, 16, 24})
    void steady_traffic_at_nine_tenths_of_the_capacity_waits_for_a_commit_only(int workers) {
        SimulatedCluster cluster = fleet(equal(workers));
        Scenario scenario = Runs.scenario(90_000, cluster, List.of(tenants(cluster, 0.9)), phase("steady", 20, 90));
        assertThat(p99(scenario, "steady")).as("seed %d", SEED).isLessThan(STEADY_MILLIS);
    }

    @ParameterizedTest
    @CsvSource({"1, 3", "2, 3", "3, 3", "5, 10", "7, 3", "10, 3", "10, 10", "11, 3", "16, 3", "24, 3", "24, 10"})
    void a_second_after_a_spike_of_all_tenants_fresh_items_have_their_latency_again(int workers, double factor) {
        SimulatedCluster cluster = fleet(equal(workers));
        SimulationResult result = Runs.run(spike(cluster, factor), Discipline.SPILLWAY);

        assertThat(Runs.phase(result, "after", "tenant").p99Millis()).as("seed %d", SEED).isLessThan(250);
        assertThat(result.peakDepths().get(Lane.HOT))
                .as("seed %d: two targets of work, and a few whole items at each worker", SEED)
                .isLessThan((long) (2 * TARGET_MILLIS / 1e3 * perSecond(cluster)) + 6L * workers);
        double ideal = 40_000 + 10_000 * (0.6 * factor - 1) / 0.4;
        assertThat(result.endMillis()).as("seed %d: the excess uses what is idle", SEED)
                .isLessThan((long) (1.2 * Math.max(ideal, scenarioMillis())));
    }

    @Test
    void workers_of_other_sizes_and_speeds_are_used_by_what_they_can_do() {
        List<SimulatedWorker> uneven = new ArrayList<>(Collections.nCopies(9, worker(16, 1)));
        uneven.add(worker(96, 1));
        List<SimulatedWorker> slow = new ArrayList<>(Collections.nCopies(9, worker(24, 1)));
        slow.add(worker(24, 5));
        for (List<SimulatedWorker> workers : List.of(uneven, slow)) {
            SimulatedCluster cluster = fleet(workers);
            Scenario steady =
                    Runs.scenario(60_000, cluster, List.of(tenants(cluster, 0.8)), phase("steady", 20, 60));
            assertThat(p99(steady, "steady")).as("seed %d", SEED).isLessThan(75);
            assertThat(p99(spike(cluster, 3), "after")).as("seed %d", SEED).isLessThan(250);
        }
    }

    /** Half of the traffic of 1,000 tenants is that of one, whose shard has 4 of the partitions. */
    @Test
    void one_tenant_with_half_of_the_traffic_leaves_the_others_their_latency_and_its_excess_uses_the_whole_fleet() {
        SimulatedCluster cluster = fleet(equal(12));
        Scenario scenario = Runs.scenario(60_000, cluster, List.of(
                new TenantGroup("small", 999, List.of(new Arrivals.Poisson(0.4 * perSecond(cluster) / 999)), List.of(),
                        Runs.policy(), Runs.taking(100), List.of()),
                new TenantGroup("big", 1, List.of(new Arrivals.Poisson(0.5 * perSecond(cluster))), List.of(),
                        Runs.policy(), Runs.taking(100), List.of())), phase("late", 30, 60));
        SimulationResult result = Runs.run(scenario, Discipline.SPILLWAY);

        assertThat(Runs.phase(result, "late", "small").p99Millis()).as("seed %d", SEED).isLessThan(75);
        assertThat(Runs.phase(result, "late", "big").p50Millis()).as("seed %d: at 0.9 of the fleet", SEED)
                .isLessThan(500);
        // Excess, which leaves some slots to the others: at 0.9 of the fleet that decides how long it waits.
        assertThat(Runs.phase(result, "late", "big").p99Millis()).as("seed %d: at 0.9 of the fleet", SEED)
                .isLessThan(10_000);
        assertThat(result.endMillis()).as("seed %d", SEED).isLessThan(scenario.durationMillis() + 5_000);
    }

    /** The slots that the flood holds come back after 2 s, and it has some at every worker. */
    @Test
    void a_flood_of_slow_items_over_the_whole_fleet_leaves_quick_tenants_their_latency() {
        SimulatedCluster cluster = fleet(equal(12));
        Scenario scenario = Runs.scenario(90_000, cluster, List.of(
                Runs.group("tenant", TENANTS, Runs.taking(20), new Arrivals.Poisson(perSecond(cluster) / TENANTS)),
                Runs.group("flood", 1, Runs.taking(2_000), new Arrivals.Burst(20_000, 20_000, 0))),
                phase("flood", 20, 90));
        SimulationResult result = Runs.run(scenario, Discipline.SPILLWAY);

        // What one commit brings may take two turns of 20 ms: the flood has what is not needed on average.
        assertThat(Runs.phase(result, "flood", "tenant").p99Millis()).as("seed %d", SEED)
                .isLessThan(STEADY_MILLIS + 20);
        assertThat(Runs.phase(result, "flood", "tenant").maxMillis()).as("seed %d", SEED).isLessThan(250);
    }

    @Test
    void aged_items_use_idle_slots_while_many_items_are_in_flight() {
        SimulatedCluster cluster = fleet(equal(12));
        Scenario scenario = Runs.scenario(3 * Runs.MINUTE, cluster, List.of(
                tenants(cluster, 0.7),
                new TenantGroup("old", 1, List.of(new Arrivals.Burst(30_000, 1_000, 0)), List.of(),
                        Runs.policy(PolicyField.AGED_AFTER, "1s"), Runs.taking(100),
                        List.of())));
        SimulationResult result = Runs.run(scenario, Discipline.SPILLWAY);

        assertThat(Runs.group(result, "old").maxMillis()).as("seed %d: 30,000 at 720 a second", SEED)
                .isLessThan(60_000);
    }

    private static double p99(Scenario scenario, String phase) {
        return Runs.phase(Runs.run(scenario, Discipline.SPILLWAY), phase, "tenant").p99Millis();
    }

    /** Ten seconds of spike after half a minute of 0.6 of the capacity. */
    private static Scenario spike(SimulatedCluster cluster, double factor) {
        TenantGroup tenants = tenants(cluster, 0.6);
        return Runs.scenario(scenarioMillis(), cluster, List.of(new TenantGroup(tenants.name(), TENANTS,
                        tenants.arrivals(), List.of(new Surge(window(30, 40), factor)), Runs.policy(),
                        Runs.taking(100), List.of())), phase("after", 41, 60));
    }

    private static long scenarioMillis() {
        return 60_000;
    }

    private static TenantGroup tenants(SimulatedCluster cluster, double load) {
        return Runs.group(
                "tenant", TENANTS, Runs.taking(100), new Arrivals.Poisson(load * perSecond(cluster) / TENANTS));
    }

    private static Scenario.Phase phase(String name, int fromSeconds, int toSeconds) {
        return new Scenario.Phase(name, window(fromSeconds, toSeconds));
    }

    private static Window window(int fromSeconds, int toSeconds) {
        return new Window(1_000L * fromSeconds, 1_000L * toSeconds);
    }

    private static double perSecond(SimulatedCluster cluster) {
        return cluster.workers().stream()
                .mapToDouble(worker -> worker.dispatch().slots() / (0.1 * worker.slowdown())).sum();
    }

    private static List<SimulatedWorker> equal(int workers) {
        return Collections.nCopies(workers, worker(Math.ceilDiv(SLOTS, workers), 1));
    }

    private static SimulatedWorker worker(int slots, double slowdown) {
        return new SimulatedWorker(new DispatchSettings(slots, 0.2, 0.05, 0.02, 4_000, 64L << 20, 100, true), slowdown);
    }

    private static SimulatedCluster fleet(List<SimulatedWorker> workers) {
        return new SimulatedCluster(
                workers, Runs.PARTITIONS, 0, 10_000, 50, 10_000, 3, ProtectionSettings.DEFAULT);
    }
}
