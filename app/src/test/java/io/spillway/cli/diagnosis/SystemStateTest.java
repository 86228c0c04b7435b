package io.spillway.cli.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.spillway.core.item.ItemState;
import io.spillway.operator.report.DepthsQuery;
import io.spillway.operator.report.QueueReader;
import io.spillway.operator.report.QueueState;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SystemStateTest {
    @Test
    void totals_are_sums_over_tenants_and_the_forecast_follows_from_them() {
        SystemState state = new States().tenant("a", 100, 20, 5, 10).tenant("b", 30, 0, 0, 5).state();

        assertThat(state.total().waiting()).isEqualTo(150);
        assertThat(state.total().inPerSecond()).isEqualTo(5);
        assertThat(state.total().outPerSecond()).isEqualTo(15);
        assertThat(state.total().drainSeconds()).as("of the 130 that wait for a worker").isCloseTo(13, within(1e-9));
        assertThat(state.tenantsWaiting()).isEqualTo(2);
        assertThat(state.accepted()).isEqualTo(150);
    }

    @Test
    void late_tenants_come_first_then_large_backlogs_then_large_inflows() {
        SystemState state = new States()
                .tenant("quick", 0, 0, 50, 50)
                .tenant("busier", 0, 0, 90, 90)
                .tenant("deep", 5_000, 0, 0, 100)
                .tenant("late", 1_000, 0, 0, 10).ttl("late", "10s")
                .tenant("idle", 0, 0, 0, 0)
                .state();

        assertThat(state.tenants()).extracting(QueueState.Tenant::tenant)
                .containsExactly("late", "deep", "busier", "quick");
        assertThat(state.tenants()).filteredOn(QueueState.Tenant::late).hasSize(1);
        assertThat(state.tenantsLate()).isEqualTo(1);
        assertThat(state.tenantsKnown()).isEqualTo(5);
    }

    @Test
    void the_tenants_listed_are_bounded_and_those_counted_are_not() {
        States states = new States();
        for (int i = 0; i < DepthsQuery.MAX_LIMIT + 50; i++) {
            states.tenant("t" + i, i + 1, 0, 0, 1);
        }
        SystemState state = states.state();

        assertThat(state.tenants()).hasSize(DepthsQuery.MAX_LIMIT);
        assertThat(state.tenants().getFirst().tenant()).isEqualTo("t" + (DepthsQuery.MAX_LIMIT + 49));
        assertThat(state.tenantsWaiting()).isEqualTo(DepthsQuery.MAX_LIMIT + 50);
    }

    @Test
    void lanes_have_their_age_and_ingress_has_no_rates() {
        SystemState state = new States().tenant("a", 7, 3, 0, 1)
                .readings(new QueueReader.Readings(
                        12, 0, Map.of("ingress", 2_500L, "hot", -400L, "aged", 9_000L),
                        States.NO_INSTANCES))
                .state();

        assertThat(state.lanes()).extracting(SystemState.Lane::lane)
                .containsExactly("ingress", "hot", "overflow", "aged", "delay");
        assertThat(state.lane("ingress")).isEqualTo(new SystemState.Lane("ingress", 12, 2.5, null, null, null));
        assertThat(state.lane("hot").waiting()).isEqualTo(7);
        assertThat(state.lane("hot").oldestSeconds()).as("a clock that is behind").isZero();
        assertThat(state.lane("delay").oldestSeconds()).isNull();
        assertThat(state.lane("aged").oldestSeconds()).as("nothing waits any more").isNull();
    }

    @Test
    void a_backlog_that_does_not_shrink_has_no_forecast_and_dead_letters_are_no_backlog() {
        SystemState state = new States()
                .tenant("a", Map.of(ItemState.HOT, 10L, ItemState.DEAD_LETTER, 4L), 3, 3).state();

        assertThat(state.total().drainSeconds()).isNull();
        assertThat(state.tenants().getFirst().drainSeconds()).isNull();
        assertThat(state.total().waiting()).isEqualTo(10);
        assertThat(state.deadLettered()).isEqualTo(4);
        assertThat(state.deadLetters()).isEqualTo(4);
    }
}
