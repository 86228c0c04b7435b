package io.spillway.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.sim.scenario.Arrivals;
import io.spillway.sim.scenario.Scenario;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class FleetAdviceTest {
    /** 100 items a second of 100 ms: ten slots are busy on average. */
    private final Scenario scenario = Runs.scenario(30_000, Runs.cluster(1, 8), List.of(
            Runs.group("tenant", 10, Runs.taking(100), new Arrivals.Poisson(10)),
            Runs.group("slow", 1, Runs.taking(100), new Arrivals.Burst(100, 1_000, 0))));

    @Test
    void the_first_fleet_that_meets_the_target_is_the_smallest_and_none_is_larger_than_the_workers_given() {
        List<FleetAdvice.Tried> tried = new FleetAdvice(scenario, 500, Set.of("tenant"), Runs.SEED).search(one -> { });
        FleetAdvice.Tried advice = tried.stream().filter(FleetAdvice.Tried::meets).findFirst().orElseThrow();

        assertThat(tried).allSatisfy(one -> assertThat(one.slotsEach()).isLessThanOrEqualTo(8));
        assertThat(advice.slots()).isBetween(10, 16);
        assertThat(advice.workers()).isEqualTo(2);
        assertThat(advice.partitions()).isEqualTo(Runs.PARTITIONS);
        assertThat(tried).filteredOn(one -> one.slots() < advice.slots()).noneMatch(FleetAdvice.Tried::meets);
        assertThat(tried).filteredOn(one -> one.slots() >= advice.slots()).allMatch(FleetAdvice.Tried::meets);
    }

    @Test
    void a_target_that_no_fleet_meets_ends_without_advice() {
        assertThat(new FleetAdvice(scenario, 0, Set.of(), Runs.SEED).search(one -> { }))
                .isNotEmpty().noneMatch(FleetAdvice.Tried::meets);
    }

    @Test
    void a_group_that_the_scenario_does_not_have_is_refused() {
        assertThatThrownBy(() -> new FleetAdvice(scenario, 500, Set.of("none"), 0))
                .hasMessage("the scenario has no group none");
    }
}
