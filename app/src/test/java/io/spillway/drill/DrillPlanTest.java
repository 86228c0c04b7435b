package io.spillway.drill;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.config.Configuration;
import io.spillway.config.ConfigurationLoader;
import io.spillway.core.item.ItemDrill.Fault;
import io.spillway.core.policy.TenantPolicy;
import io.spillway.drill.DrillPlan.Kind;
import io.spillway.drill.DrillPlan.Traffic;
import io.spillway.operator.report.Instances;
import io.spillway.operator.report.QueueState;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class DrillPlanTest {
    private static final long START = 1_800_000_000_000L;
    private static final long DRAIN_MILLIS = 600_000;
    private static final long FAULT_MILLIS = 10_000;

    private final Configuration configuration = ConfigurationLoader.load(Optional.empty(), Map.of(), Map.of());

    @ParameterizedTest
    @CsvSource({"0, 0", "1000, 10", "15000, 150", "16000, 350", "25000, 2150", "26000, 2160", "40000, 2300",
        "90000, 2300"})
    void a_flood_sends_the_factor_during_the_fault_and_the_usual_rate_around_it(long elapsedMillis, long items) {
        DrillPlan plan = plan(Kind.FLOOD);
        assertThat(plan.due(plan.traffic().getFirst(), elapsedMillis)).isEqualTo(items);
    }

    @ParameterizedTest
    @CsvSource({"OUTAGE, OUTAGE, 50, 25000", "SLOW, SLOW, 1000, 25000", "FLOOD, NONE, 50, 25000",
        "KILL, NONE, 50, 25000"})
    void the_items_of_the_tenant_have_the_fault_until_it_ends(Kind kind, Fault fault, long millis, long untilMillis) {
        DrillPlan plan = plan(kind);
        Traffic tenant = plan.traffic().getFirst();
        assertThat(plan.drill(tenant, START).at(START + 14_999)).isEqualTo(Fault.NONE);
        assertThat(plan.drill(tenant, START).at(START + 15_000)).isEqualTo(fault);
        assertThat(plan.drill(tenant, START).faultMillis()).isEqualTo(millis);
        assertThat(plan.drill(tenant, START).untilMillis()).isEqualTo(START + untilMillis);
    }

    @Test
    void one_item_kills_for_two_seconds_or_until_the_fault_ends() {
        for (Kind kind : List.of(Kind.KILL, Kind.KILLER)) {
            DrillPlan plan = plan(kind);
            Traffic killer = plan.traffic().getLast();
            assertThat(killer.tenant()).isEqualTo("acme-killer");
            assertThat(plan.due(killer, 14_999)).isZero();
            assertThat(plan.due(killer, 40_000)).isEqualTo(1);
            assertThat(plan.drill(killer, START).at(START + 16_999)).isEqualTo(Fault.KILL);
            assertThat(plan.drill(killer, START).at(START + 17_000))
                    .isEqualTo(kind == Kind.KILL ? Fault.NONE : Fault.KILL);
            assertThat(plan.drill(killer, START).at(START + 25_000)).isEqualTo(Fault.NONE);
        }
    }

    @ParameterizedTest
    @EnumSource
    void the_simulator_expects_every_item_to_end_and_the_quiet_tenant_to_wait_little(Kind kind) {
        // Time for a worker to come back before the next one ends.
        DrillPlan plan = new DrillPlan(kind, "acme", 10, 50, 20, 6 * FAULT_MILLIS);
        DrillResult expected = forecast().expect(plan, DRAIN_MILLIS);
        assertThat(expected.isFinished()).isTrue();
        // The last one would come when the simulator ends to send.
        assertThat(expected.items()).zipSatisfy(plan.traffic(), (ends, traffic) ->
                assertThat(plan.due(traffic, plan.durationMillis()) - ends.sent()).isBetween(0L, 1L));
        assertThat(expected.deaths()).isEqualTo(switch (kind) {
            case KILL -> 1;
            case KILLER -> configuration.worker().killerDeaths();
            case OUTAGE, SLOW, FLOOD -> 0;
        });
        if (!kind.kills()) {
            assertThat(expected.waits()).filteredOn(wait -> wait.tenant().equals("acme-quiet")).hasSize(3)
                    .allSatisfy(wait -> assertThat(wait.p99Millis()).isLessThan(500));
        }
    }

    @Test
    void an_outage_makes_the_tenant_wait_and_no_dead_letters() {
        DrillResult expected = forecast().expect(plan(Kind.OUTAGE), DRAIN_MILLIS);
        assertThat(expected.mostUnfinished()).isGreaterThan(90);
        assertThat(expected.recoveredMillis()).isPresent();
        assertThat(expected.items()).allMatch(ends -> ends.dead() == 0 && ends.dropped() == 0);
    }

    @Test
    void a_backlog_is_gone_when_a_hundredth_is_left_after_the_fault_or_as_few_as_before() {
        DrillResult result = DrillResult.of(plan(Kind.FLOOD), List.of(), List.of(), List.of(
                new DrillResult.Sample(14_000, 1), new DrillResult.Sample(20_000, 1_000),
                new DrillResult.Sample(26_000, 11), new DrillResult.Sample(27_000, 10)), 0);
        assertThat(result.mostUnfinished()).isEqualTo(1_000);
        assertThat(result.recoveredMillis()).contains(2_000L);

        assertThat(DrillResult.of(plan(Kind.FLOOD), List.of(), List.of(), List.of(
                new DrillResult.Sample(14_000, 20), new DrillResult.Sample(20_000, 1_000),
                new DrillResult.Sample(25_000, 21), new DrillResult.Sample(26_000, 20)), 0).recoveredMillis())
                .contains(1_000L);
    }

    @Test
    void the_ages_of_a_phase_have_percentiles() {
        DrillResult.Wait wait = DrillResult.Wait.of("acme", "during", List.of(5L, 1L, 4L, 2L, 3L));
        assertThat(wait).isEqualTo(new DrillResult.Wait("acme", "during", 5, 3, 5, 5));
        assertThat(DrillResult.Wait.of("acme", "after", List.of()).items()).isZero();
    }

    private DrillForecast forecast() {
        Instances.Load worker = new Instances.Load(50, 1_000, 20, 0);
        return new DrillForecast(configuration, tenant -> TenantPolicy.of(configuration.defaults()),
                List.of(worker, worker), List.of(new QueueState.Tenant(
                        "bolt", 0, 0, 0, 0, 0, 0, 20, 20, 0.0, false, false, null)));
    }

    private static DrillPlan plan(Kind kind) {
        return new DrillPlan(kind, "acme", 10, 50, 20, FAULT_MILLIS);
    }
}
