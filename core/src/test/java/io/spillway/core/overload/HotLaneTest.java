package io.spillway.core.overload;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The target is 200 ms. By default one worker of 10 slots with a capacity of 1,000 items a second. */
class HotLaneTest {
    private static final long T0 = 1_800_000_000_000L;
    private static final PartitionBacklog NOTHING_READ = PartitionBacklog.unknown(0);

    private final HotLane lane = new HotLane(200);

    @Test
    void the_lane_is_not_behind_before_the_first_report() {
        lane.update(List.of(), NOTHING_READ, 1, T0);
        for (int i = 0; i < 100_000; i++) {
            lane.sent(T0);
        }
        assertThat(lane.isBehind(T0)).isFalse();
    }

    @Test
    void a_burst_is_detected_at_the_first_item_that_exceeds_the_target() {
        lane.update(List.of(able(0, 0)), NOTHING_READ, 1, T0);
        for (int i = 0; i < 210; i++) {
            lane.sent(T0 + 1);
        }
        assertThat(lane.isBehind(T0 + 1)).as("10 in slots, 200 in 200 ms").isFalse();
        lane.sent(T0 + 1);
        assertThat(lane.isBehind(T0 + 1)).isTrue();
        assertThat(lane.isBehind(T0 + 1_000)).isTrue();
        assertThat(lane.isBehind(T0 + 1_001)).as("no further items").isFalse();
    }

    @Test
    void a_lane_that_one_thread_has_set_behind_is_so_for_another_with_an_older_time() {
        lane.update(List.of(able(0, 0)), NOTHING_READ, 1, T0);
        for (int i = 0; i < 211; i++) {
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
                lane.update(List.of(able(0, 50)), NOTHING_READ, 1, T0 + millis);
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
            lane.update(List.of(new LaneReport(10, perSecond, 0, now[0], now[1])), backlog(now[2], T0 + millis), 1,
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
        lane.update(List.of(new LaneReport(10, 2, 0, 0, 0)), NOTHING_READ, 1, T0);
        for (int i = 0; i < 11; i++) {
            lane.sent(T0);
        }
        assertThat(lane.isBehind(T0)).as("10 in slots, one waits for half a second").isFalse();
        lane.sent(T0);
        assertThat(lane.isBehind(T0)).as("two wait").isTrue();
    }

    @Test
    void without_a_worker_an_empty_lane_is_not_behind() {
        lane.update(List.of(able(0, 0)), NOTHING_READ, 1, T0);
        for (int millis = 0; millis < 5_000; millis += 100) {
            lane.update(List.of(), backlog(millis < 2_000 ? 0 : 1, T0 + millis), 1, T0 + millis);
            assertThat(lane.isBehind(T0 + millis)).as("%d ms", millis).isFalse();
        }
    }

    @Test
    void full_slots_alone_are_not_behind() {
        // 50 slots and attempts of one second: 50 items a second.
        lane.update(List.of(new LaneReport(50, 50, 0, 0, 0)), NOTHING_READ, 1, T0);
        for (int i = 0; i < 50; i++) {
            lane.sent(T0);
        }
        lane.update(List.of(new LaneReport(50, 50, 0, 0, 0)), backlog(50, T0), 1, T0 + 250);
        assertThat(lane.isBehind(T0 + 250)).isFalse();
    }

    @Test
    void each_worker_signal_sets_the_lane_behind_and_half_of_it_keeps_it_so() {
        lasting(T0, able(0, 0), able(201, 0));
        assertThat(lane.isBehind(T0 + 500)).as("201 waiting with 2,000 a second").isFalse();
        lasting(T0 + 600, able(0, 0), able(401, 0));
        assertThat(lane.isBehind(T0 + 1_100)).as("401 waiting").isTrue();

        lane.update(List.of(able(2, 101), able(0, 0)), NOTHING_READ, 1, T0 + 2_000);
        assertThat(lane.isBehind(T0 + 2_900)).as("ages of half the target keep it behind").isTrue();
        lane.update(List.of(able(2, 100), able(0, 0)), NOTHING_READ, 1, T0 + 2_900);
        assertThat(lane.isBehind(T0 + 3_001)).as("a second later").isFalse();

        lasting(T0 + 3_100, able(2, 101), able(0, 0));
        assertThat(lane.isBehind(T0 + 3_600)).as("half the target does not set it behind").isFalse();
        lasting(T0 + 3_700, able(2, 201), able(0, 0));
        assertThat(lane.isBehind(T0 + 4_200)).as("ages over the target").isTrue();
    }

    @Test
    void the_partition_backlog_beyond_the_slots_counts_once_for_each_update() {
        lane.update(List.of(able(0, 0)), backlog(210, T0), 1, T0);
        lane.update(List.of(able(0, 0)), backlog(210, T0 + 1_000), 1, T0 + 1_000);
        assertThat(lane.isBehind(T0 + 1_000)).isFalse();
        PartitionBacklog backlog = backlog(211, T0 + 2_000);
        lane.update(List.of(able(0, 0)), backlog, 1, T0 + 2_000);
        lane.update(List.of(able(0, 0)), backlog, 1, T0 + 2_900);
        assertThat(lane.isBehind(T0 + 2_900)).as("the same backlog again").isFalse();
        lane.update(List.of(able(0, 0)), backlog(211, T0 + 3_000), 1, T0 + 3_000);
        assertThat(lane.isBehind(T0 + 3_000)).isTrue();
    }

    @Test
    void a_capacity_reported_too_low_is_corrected_by_the_backlog() {
        lane.update(List.of(new LaneReport(10, 100, 0, 0, 0)), NOTHING_READ, 1, T0);
        for (int i = 0; i < 100; i++) {
            lane.sent(T0);
        }
        assertThat(lane.isBehind(T0)).isTrue();
        lane.update(List.of(new LaneReport(10, 100, 1_000, 0, 0)), backlog(0, T0 + 1_000), 1, T0 + 1_000);
        lane.sent(T0 + 1_001);
        assertThat(lane.isBehind(T0 + 1_001)).as("they were handled at once").isFalse();
    }

    @Test
    void without_a_worker_the_lane_is_behind_when_items_wait() {
        lane.update(List.of(able(0, 0)), NOTHING_READ, 1, T0);
        lane.update(List.of(), backlog(2, T0 + 5_000), 1, T0 + 5_000);
        lane.update(List.of(), backlog(2, T0 + 5_500), 1, T0 + 5_500);
        assertThat(lane.isBehind(T0 + 6_000)).isTrue();
        lane.update(List.of(able(0, 0)), NOTHING_READ, 1, T0 + 6_100);
        assertThat(lane.isBehind(T0 + 6_501)).isFalse();
    }

    @Test
    void free_slots_with_old_items_limit_the_capacity_to_the_throughput() {
        assertThat(lane.update(List.of(new LaneReport(50, 1e6, 3_000, 0, 100)), NOTHING_READ, 1, T0)).isEqualTo(1e6);
        assertThat(lane.update(List.of(new LaneReport(50, 1e6, 3_000, 0, 900)), NOTHING_READ, 1, T0)).isEqualTo(3_000);
    }

    @Test
    void each_of_two_routers_uses_half_of_the_capacity() {
        assertThat(lane.update(List.of(able(0, 0)), NOTHING_READ, 2, T0)).isEqualTo(500);
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
        lane.update(List.of(able(0, 0)), NOTHING_READ, 1, T0 - 3_600_000);
        lane.sent(T0 - 3_600_000);
        assertThat(lane.isBehind(T0 - 3_600_000)).isFalse();
    }

    /** Reports the same for half a second. */
    private void lasting(long fromMillis, LaneReport... reports) {
        lane.update(List.of(reports), NOTHING_READ, 1, fromMillis);
        lane.update(List.of(reports), NOTHING_READ, 1, fromMillis + 500);
    }

    private static LaneReport able(long waiting, double ageMillis) {
        return new LaneReport(10, 1_000, 500, waiting, ageMillis);
    }

    private static PartitionBacklog backlog(long waiting, long atMillis) {
        return PartitionBacklog.unknown(2).next(new long[] {waiting, 0}, new long[2], atMillis, 10_000);
    }
}
