package io.spillway.core.overload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Numbers of the estimate. The target is 200 ms; by default 10 slots with a capacity of 1,000 items a second. */
class HotLaneEstimateTest {
    private static final long T0 = 1_800_000_000_000L;

    private final HotLane lane = new HotLane(200);

    @Test
    void the_load_is_the_mean_of_the_last_twenty_seconds() {
        lane.update(Optional.of(able(0, 0)), 0, false, 1, T0);
        for (int second = 1; second <= 20; second++) {
            for (int i = 0; i < 500; i++) {
                lane.sent(T0 + second * 1_000);
            }
            lane.update(Optional.of(able(0, 0)), 0, false, 1, T0 + second * 1_000);
        }
        assertThat(lane.load()).isCloseTo(0.5 * (1 - 1 / Math.E), within(1e-3));
    }

    @Test
    void a_time_that_is_far_above_the_bound_of_the_estimate_is_of_another_clock() {
        lane.update(Optional.of(able(0, 0)), 0, false, 1, T0);
        // The bound is 10 ms in slots, half the target and a second; clocks of threads differ by a second at most.
        lane.assume(1_110 + 1_000, T0);
        lane.sent(T0);
        assertThat(emptyAtMillis()).isEqualTo(1_110);
        lane.assume(1_110 + 1_001, T0);
        lane.sent(T0);
        assertThat(emptyAtMillis()).isEqualTo(1);
    }

    @Test
    void a_lane_is_released_when_the_clock_was_set_back_by_more_than_a_second() {
        lane.update(Optional.of(able(0, 0)), 0, false, 1, T0);
        for (int i = 0; i < 111; i++) {
            lane.sent(T0);
        }
        assertThat(lane.isBehind(T0 - 1_000)).isTrue();
        assertThat(lane.isBehind(T0 - 1_001)).isFalse();
    }

    @Test
    void the_capacity_of_a_worker_that_does_not_report_stays_as_it_is() {
        assertThat(lane.update(Optional.empty(), 0, false, 1, T0)).isZero();
        lane.update(Optional.of(able(0, 0)), 0, false, 1, T0);
        lane.update(Optional.of(report(10, 0, 0, 0, 0)), 0, false, 1, T0);
        assertThat(lane.update(Optional.empty(), 0, false, 1, T0)).isEqualTo(1_000);
        assertThat(lane.nanosPerItem()).isEqualTo(1_000_000);
    }

    @ParameterizedTest(name = "{0} handled a second, {1} ms old: {2} a second")
    @CsvSource({"500, 200, 1000", "500, 201, 500", "0, 201, 1000", "2000, 201, 1000"})
    void only_items_older_than_the_target_show_that_the_throughput_is_the_capacity(
            double handled, double ageMillis, double perSecond) {
        assertThat(lane.update(Optional.of(report(10, 1_000, handled, 0, ageMillis)), 0, false, 1, T0))
                .isEqualTo(perSecond);
    }

    @Test
    void a_measurement_lowers_the_estimate_to_what_waits_what_runs_and_what_was_sent_since() {
        lane.update(Optional.of(able(0, 0)), 0, false, 1, T0);
        for (int i = 0; i < 100; i++) {
            lane.sent(T0);
        }
        lane.update(Optional.of(able(0, 0)), 0, false, 1, T0);
        for (int i = 0; i < 5; i++) {
            lane.sent(T0);
        }
        lane.update(Optional.of(able(0, 0)), 40, true, 1, T0 + 10);
        assertThat(emptyAtMillis()).as("30 beyond the slots, 10 in slots, 5 since").isEqualTo(10 + 45);
    }

    @Test
    void measurements_raise_the_estimate_when_they_last_and_while_hot_is_behind_at_once() {
        lane.update(Optional.of(able(200, 0)), 500, true, 1, T0);
        lane.update(Optional.of(able(200, 0)), 210, true, 1, T0 + 500);
        assertThat(lane.emptyAtNanos()).as("the partitions had too much for one moment, the worker never").isZero();
        lane.update(Optional.of(able(0, 0)), 500, true, 1, T0 + 1_000);
        lane.update(Optional.of(able(0, 0)), 500, true, 1, T0 + 1_500);
        assertThat(emptyAtMillis()).as("500 in the partitions").isEqualTo(1_500 + 500);

        lane.update(Optional.of(able(0, 0)), 0, true, 1, T0 + 2_000);
        assertThat(emptyAtMillis()).as("the slots").isEqualTo(2_000);
        lane.update(Optional.of(able(1, 0)), 0, false, 1, T0 + 2_100);
        assertThat(emptyAtMillis()).as("one item waits").isEqualTo(2_000);
        lane.update(Optional.of(able(2, 0)), 0, false, 1, T0 + 2_200);
        assertThat(emptyAtMillis()).as("two wait, and ten are in slots").isEqualTo(2_200 + 12);
    }

    @Test
    void without_a_capacity_a_measurement_does_not_change_what_was_assumed() {
        lane.assume(50, T0);
        lane.update(Optional.of(report(10, 0, 0, 0, 0)), 0, true, 1, T0);
        assertThat(emptyAtMillis()).isEqualTo(50);
    }

    @Test
    void a_step_of_excess_is_three_items_at_least() {
        // Half a second each in one slot: 0.5 s in the slot and 1.3 s more are no excess.
        lane.update(Optional.of(report(1, 2, 0, 0, 0)), 0, false, 1, T0);
        lane.assume(1_800 + 3_000, T0);
        assertThat(lane.excess(T0)).isEqualTo(2);
    }

    private long emptyAtMillis() {
        return lane.emptyAtNanos() / 1_000_000 - T0;
    }

    private static WorkerReport able(long waiting, double ageMillis) {
        return report(10, 1_000, 500, waiting, ageMillis);
    }

    private static WorkerReport report(int slots, double possible, double handled, long waiting, double ageMillis) {
        return new WorkerReport(slots, possible, possible, handled, waiting, ageMillis, Map.of());
    }
}
