package io.spillway.core.overload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The target is 200 ms. By default one worker of 10 slots with a capacity of 1,000 items a second. */
class HotLaneTest {
    private static final long T0 = 1_800_000_000_000L;

    private final HotLane lane = new HotLane(200);

    @Test
    void the_lane_is_not_behind_before_the_first_report() {
        lane.update(Optional.empty(), 0, false, 1, T0);
        for (int i = 0; i < 100_000; i++) {
            lane.sent(T0);
        }
        assertThat(lane.isBehind(T0)).isFalse();
        lane.assume(3_600_500, T0);
        lane.sent(T0);
        assertThat(lane.isBehind(T0)).as("more than an hour").isFalse();
    }

    @Test
    void a_burst_is_detected_at_the_first_item_that_exceeds_the_target() {
        lane.update(Optional.of(able(0, 0)), 0, false, 1, T0);
        for (int i = 0; i < 110; i++) {
            lane.sent(T0 + 1);
        }
        assertThat(lane.isBehind(T0 + 1)).as("10 in slots, 100 in half the target").isFalse();
        lane.sent(T0 + 1);
        assertThat(lane.isBehind(T0 + 1)).isTrue();
        assertThat(lane.isBehind(T0 + 1_000)).isTrue();
        assertThat(lane.isBehind(T0 + 1_001)).as("no further items").isFalse();
    }

    @Test
    void a_lane_that_one_thread_has_set_behind_is_so_for_another_with_an_older_time() {
        lane.update(Optional.of(able(0, 0)), 0, false, 1, T0);
        for (int i = 0; i < 111; i++) {
            lane.sent(T0 + 100);
        }
        assertThat(lane.isBehind(T0 + 100)).isTrue();
        assertThat(lane.isBehind(T0 + 99)).isTrue();
        assertThat(lane.isBehind(T0)).isTrue();
    }

    @Test
    void a_load_within_the_capacity_is_never_behind() {
        for (int millis = 0; millis < 60_000; millis++) {
            if (millis % 250 == 0) {
                lane.update(Optional.of(able(0, 50)), 0, false, 1, T0 + millis);
            }
            lane.sent(T0 + millis);
            assertThat(lane.isBehind(T0 + millis)).as("%d ms", millis).isFalse();
        }
    }

    /**
     * Timelines of measurements 250 ms apart: waiting items of the worker, age in ms at the start, unfinished items in
     * the partitions. The worker has 10 slots.
     */
    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
        one old item each second           | 1000 | 0 900 1, 0 0 0, 0 0 0, 0 0 0, 0 900 1, 0 0 0, 0 0 0, 0 0 0  | never
        one item after the other, all old  | 1000 | 0 900 1, 0 900 1, 0 900 1, 0 900 1, 0 900 1, 0 900 1        | never
        one waiting item, slow handlers    | 2    | 1 0 1, 1 0 1, 1 0 1, 1 0 1, 1 0 1, 1 0 1, 1 0 1             | never
        one waiting item, old              | 1000 | 1 900 0, 1 900 0, 1 900 0, 1 900 0, 1 900 0, 1 900 0        | never
        many items, no capacity known yet  | 0    | 999 0 999, 999 0 999, 999 0 999, 999 0 999                  | never
        five waiting items at one moment   | 2    | 5 0 5, 0 0 0, 5 0 5, 0 0 0, 5 0 5, 0 0 0                    | never
        five old items at one moment       | 1000 | 0 900 5, 0 0 5, 0 900 5, 0 0 0, 0 900 5, 0 0 5              | never
        a backlog at one moment            | 1000 | 0 0 999, 0 0 0, 0 0 999, 0 0 0, 0 0 999, 0 0 0              | never
        two waiting items, slow handlers   | 2    | 2 0 2, 2 0 2, 2 0 2, 2 0 2                                  | 500
        a worker short of processor time   | 1000 | 0 300 5, 0 400 6, 0 500 7, 0 600 8                          | 500
        many waiting items                 | 1000 | 0 0 0, 999 0 999, 999 0 999, 999 0 999                      | 750
        a lasting backlog                  | 1000 | 0 0 999, 0 0 999, 0 0 999                                   | 500
        """)
    void measurements_need_more_than_one_item_and_half_a_second(
            String name, double perSecond, String timeline, String behindFrom) {
        List<Long> behindAt = new ArrayList<>();
        long millis = 0;
        for (String step : timeline.strip().split(", ")) {
            long[] now = Arrays.stream(step.split(" ")).mapToLong(Long::parseLong).toArray();
            lane.update(Optional.of(report(10, perSecond, 0, now[0], now[1])), now[2], true, 1,
                    T0 + millis);
            if (lane.isBehind(T0 + millis)) {
                behindAt.add(millis);
            }
            millis += 250;
        }
        assertThat(behindAt.isEmpty() ? "never" : behindAt.getFirst().toString()).isEqualTo(behindFrom);
    }

    @Test
    void one_item_more_than_the_slots_is_not_behind_however_slow_the_handler_is() {
        lane.update(Optional.of(report(10, 2, 0, 0, 0)), 0, false, 1, T0);
        for (int i = 0; i < 11; i++) {
            lane.sent(T0);
        }
        assertThat(lane.isBehind(T0)).as("10 in slots, one waits for half a second").isFalse();
        lane.sent(T0);
        assertThat(lane.isBehind(T0)).as("two wait").isTrue();
    }

    @Test
    void without_a_worker_an_empty_lane_is_not_behind() {
        lane.update(Optional.of(able(0, 0)), 0, false, 1, T0);
        for (int millis = 0; millis < 5_000; millis += 100) {
            lane.update(Optional.empty(), millis < 2_000 ? 0 : 1, true, 1, T0 + millis);
            assertThat(lane.isBehind(T0 + millis)).as("%d ms", millis).isFalse();
        }
    }

    @Test
    void full_slots_alone_are_not_behind() {
        // 50 slots and attempts of one second: 50 items a second.
        lane.update(Optional.of(report(50, 50, 0, 0, 0)), 0, false, 1, T0);
        for (int i = 0; i < 50; i++) {
            lane.sent(T0);
        }
        lane.update(Optional.of(report(50, 50, 0, 0, 0)), 50, true, 1, T0 + 250);
        assertThat(lane.isBehind(T0 + 250)).isFalse();
    }

    @Test
    void each_signal_sets_hot_behind_and_half_of_it_keeps_it_so() {
        lasting(T0, able(200, 0));
        assertThat(lane.isBehind(T0 + 500)).as("200 waiting with 1,000 a second").isFalse();
        lasting(T0 + 600, able(201, 0));
        assertThat(lane.isBehind(T0 + 1_100)).as("201 waiting").isTrue();

        lane.update(Optional.of(able(2, 101)), 0, false, 1, T0 + 2_000);
        assertThat(lane.isBehind(T0 + 2_900)).as("ages of half the target keep it behind").isTrue();
        lane.update(Optional.of(able(2, 100)), 0, false, 1, T0 + 2_900);
        assertThat(lane.isBehind(T0 + 3_001)).as("a second later").isFalse();

        lasting(T0 + 3_100, able(2, 101));
        assertThat(lane.isBehind(T0 + 3_600)).as("half the target does not set it behind").isFalse();
        lasting(T0 + 3_700, able(2, 201));
        assertThat(lane.isBehind(T0 + 4_200)).as("ages over the target").isTrue();
    }

    @Test
    void the_excess_is_what_is_above_half_the_target_in_tenths_of_that() {
        lane.update(Optional.of(able(0, 0)), 0, false, 1, T0);
        for (int i = 0; i < 10 + 100; i++) {
            lane.sent(T0);
        }
        assertThat(lane.excess(T0)).isBetween(-0.1, 0.1);
        for (int i = 0; i < 20; i++) {
            lane.sent(T0);
        }
        assertThat(lane.excess(T0)).as("20 of 100 ms more").isCloseTo(2, within(0.1));
        assertThat(lane.excess(T0 + 20)).as("20 ms later").isCloseTo(0, within(0.1));
    }

    @Test
    void with_slow_handlers_as_much_as_one_turn_of_the_slots_is_no_excess() {
        lane.update(Optional.of(report(10, 2, 0, 0, 0)), 0, false, 1, T0);
        for (int i = 0; i < 20; i++) {
            lane.sent(T0);
        }
        assertThat(lane.isBehind(T0)).as("ten wait, for five seconds").isTrue();
        assertThat(lane.excess(T0)).isLessThanOrEqualTo(0);
    }

    @Test
    void while_hot_is_behind_a_measurement_raises_the_backlog_at_once() {
        lasting(T0, able(500, 0));
        assertThat(lane.excess(T0 + 500)).isGreaterThan(3);
        lane.update(Optional.of(able(0, 0)), 0, true, 1, T0 + 600);
        assertThat(lane.excess(T0 + 600)).as("all was handled").isNegative();
        lane.update(Optional.of(able(500, 0)), 0, false, 1, T0 + 700);
        assertThat(lane.excess(T0 + 700)).isGreaterThan(3);
    }

    @Test
    void the_backlog_of_a_worker_that_does_not_report_stays_as_it_is() {
        lane.update(Optional.of(able(0, 0)), 0, false, 1, T0);
        for (int i = 0; i < 150; i++) {
            lane.sent(T0);
        }
        double before = lane.excess(T0);
        for (int millis = 100; millis <= 2_000; millis += 100) {
            lane.update(Optional.empty(), 150, false, 1, T0 + millis);
        }
        assertThat(lane.excess(T0 + 2_000)).isEqualTo(before);
        assertThat(lane.isBehind(T0 + 2_000)).isTrue();
    }

    @Test
    void the_partition_backlog_beyond_the_slots_counts_once_for_each_update() {
        lane.update(Optional.of(able(0, 0)), 210, true, 1, T0);
        lane.update(Optional.of(able(0, 0)), 210, true, 1, T0 + 1_000);
        assertThat(lane.isBehind(T0 + 1_000)).isFalse();
        lane.update(Optional.of(able(0, 0)), 211, true, 1, T0 + 2_000);
        lane.update(Optional.of(able(0, 0)), 211, false, 1, T0 + 2_900);
        assertThat(lane.isBehind(T0 + 2_900)).as("the same backlog again").isFalse();
        lane.update(Optional.of(able(0, 0)), 211, true, 1, T0 + 3_000);
        assertThat(lane.isBehind(T0 + 3_000)).isTrue();
    }

    @Test
    void a_capacity_reported_too_low_is_corrected_by_the_backlog() {
        lane.update(Optional.of(report(10, 100, 0, 0, 0)), 0, false, 1, T0);
        for (int i = 0; i < 100; i++) {
            lane.sent(T0);
        }
        assertThat(lane.isBehind(T0)).isTrue();
        lane.update(Optional.of(report(10, 100, 1_000, 0, 0)), 0, true, 1, T0 + 1_000);
        lane.sent(T0 + 1_001);
        assertThat(lane.isBehind(T0 + 1_001)).as("they were handled at once").isFalse();
    }

    @Test
    void without_a_worker_the_lane_is_behind_when_items_wait() {
        lane.update(Optional.of(able(0, 0)), 0, false, 1, T0);
        lane.update(Optional.empty(), 2, true, 1, T0 + 5_000);
        lane.update(Optional.empty(), 2, true, 1, T0 + 5_500);
        assertThat(lane.isBehind(T0 + 6_000)).isTrue();
        lane.update(Optional.of(able(0, 0)), 0, false, 1, T0 + 6_100);
        assertThat(lane.isBehind(T0 + 6_501)).isFalse();
    }

    @Test
    void free_slots_with_old_items_limit_the_capacity_to_the_throughput() {
        assertThat(lane.update(Optional.of(report(50, 1e6, 3_000, 0, 100)), 0, false, 1, T0)).isEqualTo(1e6);
        assertThat(lane.update(Optional.of(report(50, 1e6, 3_000, 0, 900)), 0, false, 1, T0)).isEqualTo(3_000);
    }

    @Test
    void each_of_two_routers_uses_half_of_the_capacity() {
        assertThat(lane.update(Optional.of(able(0, 0)), 0, false, 2, T0)).isEqualTo(500);
        for (int i = 0; i < 111; i++) {
            lane.sent(T0);
        }
        assertThat(lane.isBehind(T0)).isTrue();
    }

    @Test
    void a_clock_set_back_does_not_keep_the_lane_behind() {
        lasting(T0, able(1_000, 0));
        assertThat(lane.isBehind(T0 + 500)).isTrue();
        assertThat(lane.isBehind(T0 - 3_600_000)).isFalse();
        lane.update(Optional.of(able(0, 0)), 0, false, 1, T0 - 3_600_000);
        lane.sent(T0 - 3_600_000);
        assertThat(lane.isBehind(T0 - 3_600_000)).isFalse();
    }

    /** Reports the same for half a second. */
    private void lasting(long fromMillis, WorkerReport report) {
        lane.update(Optional.of(report), 0, false, 1, fromMillis);
        lane.update(Optional.of(report), 0, false, 1, fromMillis + 500);
    }

    private static WorkerReport able(long waiting, double ageMillis) {
        return report(10, 1_000, 500, waiting, ageMillis);
    }

    private static WorkerReport report(int slots, double possible, double handled, long waiting, double ageMillis) {
        return new WorkerReport(slots, possible, possible, handled, waiting, ageMillis, Map.of());
    }
}
