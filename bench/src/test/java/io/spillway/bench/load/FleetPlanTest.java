package io.spillway.bench.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.bench.load.FleetPlan.Phase;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

/** Timeline, traffic, simulation and table of a fleet: 700 items a second, and three times that from 50 s to 60 s. */
public class FleetPlanTest {
    private static final FleetPlan PLAN = plan(2, 50, 10);

    @Test
    void windows_follow_the_spike_and_leave_out_its_first_second_after() {
        assertThat(PLAN.phases()).containsExactly(Phase.values());
        assertThat(PLAN.phases()).extracting(PLAN::fromSecond).containsExactly(30, 50, 61, 71);
        assertThat(PLAN.phases()).extracting(PLAN::toSecond).containsExactly(50, 60, 71, 81);
        assertThat(PLAN.seconds()).isEqualTo(81);
        assertThat(plan(2, 50, 0).phases()).containsExactly(Phase.BEFORE);
        assertThat(plan(2, 50, 0).seconds()).isEqualTo(50);
        assertThatThrownBy(() -> plan(200, 0, 10)).hasMessageContaining("--slots");
    }

    @Test
    void items_arrive_at_random_at_the_rate_of_the_phase_and_are_the_same_for_a_seed() {
        assertThat(perSecond(PLAN.traffic(1), 0, 50)).isEqualTo(700, Offset.offset(20.0));
        assertThat(perSecond(PLAN.traffic(1), 50, 60)).isEqualTo(2_100, Offset.offset(80.0));
        assertThat(perSecond(PLAN.traffic(1), 60, 81)).isEqualTo(700, Offset.offset(30.0));
        Flow flow = PLAN.traffic(1).flows().getFirst();
        assertThat(IntStream.range(1, flow.items())).allMatch(item -> flow.atNanos(item) >= flow.atNanos(item - 1));
        assertThat(IntStream.range(0, flow.items()).map(flow::tenant).distinct().count()).isEqualTo(100);
        assertThat(times(PLAN.traffic(1))).isEqualTo(times(PLAN.traffic(1))).isNotEqualTo(times(PLAN.traffic(2)));
    }

    @Test
    void a_simulation_has_a_figure_for_each_window() {
        FleetFigures figures = FleetSimulation.run(PLAN, 120, 1);

        assertThat(figures.ages()).containsOnlyKeys(Phase.values());
        assertThat(figures.ages().get(Phase.BEFORE).p99()).isBetween(20.0, 200.0);
        assertThat(figures.ages().get(Phase.SPIKE).p50()).isGreaterThan(1_000);
        assertThat(figures.mostInHot()).isBetween(500.0, 15_000.0);
        assertThat(figures.doneSeconds()).as("11,000 items above capacity, at 300 a second for 21 s, then 1,000")
                .isBetween(21.0, 35.0);
        assertThat(figures.again()).isZero();
    }

    @Test
    void a_row_has_the_medians_of_the_rounds_and_one_without_rounds_has_none() {
        FleetPlan steady = plan(2, 50, 0);
        List<FleetFigures> rounds = List.of(figures(10, 100), figures(30, 300), figures(20, 1_200));

        assertThat(FleetFigures.row(steady, "2 × 50", rounds))
                .isEqualTo("| 2 × 50 | 20; 300 | 7 | 0.50 | 1.5 | 0 of 3 |\n");
        assertThat(FleetFigures.row(steady, "16 × 6", List.of()))
                .isEqualTo("| 16 × 6 | –; – | – | – | – | – |\n");
        assertThat(FleetFigures.head(steady).lines().map(line -> line.split("\\|").length).distinct()).hasSize(1);
    }

    private static FleetPlan plan(int workers, int slots, int spikeSeconds) {
        return new FleetPlan(workers, slots, 12, 100, 700, 100, 30, 20, spikeSeconds, 3);
    }

    private static FleetFigures figures(double p50, double p99) {
        return new FleetFigures(
                Map.of(Phase.BEFORE, new Ages(1, p50, p99, p99)), 7, Double.POSITIVE_INFINITY, 0.005, 1.5, false);
    }

    private static double perSecond(Traffic traffic, int fromSecond, int toSecond) {
        return (double) traffic.flows().stream()
                .flatMap(flow -> IntStream.range(0, flow.items()).mapToObj(flow::atNanos))
                .filter(atNanos -> atNanos >= Flow.nanos(fromSecond) && atNanos < Flow.nanos(toSecond))
                .count() / (toSecond - fromSecond);
    }

    private static List<Long> times(Traffic traffic) {
        Flow flow = traffic.flows().getLast();
        return IntStream.range(0, flow.items()).mapToObj(flow::atNanos).toList();
    }
}
