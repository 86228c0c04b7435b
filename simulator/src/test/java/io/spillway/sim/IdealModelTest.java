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

/** The ideal on arrivals whose ends can be worked out by hand. */
class IdealModelTest {
    @Test
    void an_item_alone_has_one_slot() {
        assertThat(endsOf(4, burst("a", 1, 1_000, Runs.policy()))).containsExactly(1.0);
    }

    @Test
    void items_of_one_tenant_end_first_in_first_out() {
        assertThat(endsOf(2, burst("a", 5, 1_000, Runs.policy()))).containsExactly(1.0, 1.0, 2.0, 2.0, 3.0);
    }

    /** The heavy one has three of four slots until its six items are done; then the other runs its last three. */
    @Test
    void slots_are_divided_by_weight_and_what_one_cannot_use_goes_to_the_other() {
        Scenario scenario = scenario(4, burst("light", 5, 1_000, Runs.policy()),
                burst("heavy", 6, 1_000, Runs.policy(PolicyField.WEIGHT, "3")));
        assertThat(ends(scenario, 1)).containsExactly(1.0, 1.0, 1.0, 2.0, 2.0, 2.0);
        assertThat(ends(scenario, 0)).containsExactly(1.0, 2.0, 3.0, 3.0, 3.0);
    }

    @Test
    void two_items_on_one_slot_have_half_of_it_each() {
        Scenario scenario = scenario(1, burst("a", 1, 1_000, Runs.policy()), burst("b", 1, 500, Runs.policy()));
        assertThat(ends(scenario, 1)).containsExactly(1.0);
        assertThat(ends(scenario, 0)).containsExactly(1.5);
        assertThat(TimedRun.ideal(scenario, 0).services()).allMatch(each -> each.firstNanos() == 0);
    }

    @Test
    void a_limit_of_concurrency_holds_though_slots_are_idle() {
        assertThat(endsOf(4, burst("a", 3, 1_000, Runs.policy(PolicyField.CONCURRENCY, "1"))))
                .containsExactly(1.0, 2.0, 3.0);
    }

    @Test
    void a_tenant_that_comes_later_has_its_share_at_once() {
        TenantGroup late = Runs.group("late", 1, Runs.taking(1_000), new Arrivals.Burst(1, 500, 0));
        Scenario scenario = scenario(1, burst("a", 1, 1_000, Runs.policy()), late);
        assertThat(ends(scenario, 0)).containsExactly(1.5);
        assertThat(ends(scenario, 1)).containsExactly(2.0);
    }

    /** Without a limit, the ideal and FIFO do the same work in the same time. */
    @Test
    void it_ends_with_fifo() {
        Scenario scenario = Runs.scenario(60_000, Runs.cluster(1, 10), List.of(
                Runs.group("tenant", 9, Runs.taking(100), new Arrivals.Poisson(8)), burst("a", 500, 70, Runs.policy()),
                burst("b", 300, 90, Runs.policy(PolicyField.WEIGHT, "5"))));
        TimedRun ideal = TimedRun.ideal(scenario, Runs.SEED);
        TimedRun fifo = TimedRun.of(scenario, Discipline.FIFO, Runs.SEED);
        assertThat(ideal.services()).hasSameSizeAs(fifo.services());
        assertThat(ideal.meanSlots()).as("seed %d", Runs.SEED).isCloseTo(fifo.meanSlots(), within(0.05));
        assertThat(ideal.result().groups()).allMatch(row -> row.waiting() == 0);
    }

    private static List<Double> endsOf(int slots, TenantGroup group) {
        return ends(scenario(slots, group), 0);
    }

    private static List<Double> ends(Scenario scenario, int tenant) {
        return TimedRun.ideal(scenario, 0).services().stream().filter(each -> each.tenant() == tenant)
                .map(each -> Math.round(each.endedNanos() / 1e3) / 1e6).toList();
    }

    private static Scenario scenario(int slots, TenantGroup... groups) {
        return Runs.scenario(10_000, Runs.cluster(1, slots), List.of(groups));
    }

    private static TenantGroup burst(String name, int size, int millis, TenantPolicy policy) {
        return new TenantGroup(name, 1, List.of(new Arrivals.Burst(size, 0, 0)), List.of(), policy,
                Runs.taking(millis), List.of());
    }
}
