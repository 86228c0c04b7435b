package io.spillway.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.TenantPolicy;
import io.spillway.sim.Simulation.Discipline;
import io.spillway.sim.scenario.Arrivals;
import io.spillway.sim.scenario.Scenario;
import io.spillway.sim.scenario.TenantGroup;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Rules of the gateway in virtual time, with limits of which the result can be told by hand. */
class GatewayRunsTest {
    @Test
    void what_is_over_the_admission_rate_is_refused() {
        SimulationResult.Row row = run(Runs.policy(PolicyField.ADMISSION_RATE, "20"), 50, true);
        SimulationResult.Row all = run(Runs.policy(), 50, false);
        assertThat(row.refused() + row.accepted()).isEqualTo(all.accepted());
        // Ten minutes at 20 a second, and a burst.
        assertThat(row.accepted()).isBetween(12_000L, 12_000L + 20 * 60);
        assertThat(row.done()).isEqualTo(row.accepted());
    }

    @Test
    void a_backlog_settles_at_its_most_depth_times_the_overload() {
        // Ten slots of 100 ms: 100 a second, of 200. The depth settles at 2 * maxDepth, where half is admitted.
        SimulationResult.Row row = run(Runs.policy(PolicyField.MAX_DEPTH, "1000"), 200, true);
        assertThat(row.refused()).isCloseTo(100 * 600 - 2_000, within(4_000L));
        assertThat(row.dropped() + row.dead()).isZero();
    }

    @Test
    void kafka_producers_and_tenants_that_are_accepted_always_are_not_refused() {
        assertThat(run(Runs.policy(PolicyField.MAX_DEPTH, "1000"), 200, false).refused()).isZero();
        TenantPolicy accepts = Runs.policy(PolicyField.BACK_PRESSURE, "accept");
        assertThat(run(accepts, 200, true).refused()).isZero();
    }

    @Test
    void the_queue_of_the_comparison_takes_all() {
        Scenario scenario = scenario(Runs.policy(PolicyField.ADMISSION_RATE, "20"), 50, true);
        assertThat(Runs.group(Runs.run(scenario, Discipline.FIFO), "t").refused()).isZero();
    }

    private static SimulationResult.Row run(TenantPolicy policy, double perSecond, boolean isBehindGateway) {
        return Runs.group(Runs.run(scenario(policy, perSecond, isBehindGateway), Discipline.SPILLWAY), "t");
    }

    private static Scenario scenario(TenantPolicy policy, double perSecond, boolean isBehindGateway) {
        return Runs.scenario(10 * Runs.MINUTE, Runs.cluster(1, 10), List.of(new TenantGroup(
                "t", 1, List.of(new Arrivals.Constant(perSecond)), List.of(), policy, Runs.taking(100), List.of(),
                List.of(), isBehindGateway)));
    }
}
