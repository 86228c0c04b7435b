package io.spillway.core.overload;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

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
    void a_load_within_the_capacity_is_never_behind() {
        for (int millis = 0; millis < 60_000; millis++) {
            if (millis % 250 == 0) {
                lane.update(List.of(able(0, 50)), NOTHING_READ, 1, T0 + millis);
            }
            lane.sent(T0 + millis);
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
        lane.update(List.of(able(0, 0), able(201, 0)), NOTHING_READ, 1, T0);
        assertThat(lane.isBehind(T0)).as("201 waiting with 2,000 a second").isFalse();
        lane.update(List.of(able(0, 0), able(401, 0)), NOTHING_READ, 1, T0);
        assertThat(lane.isBehind(T0)).as("401 waiting").isTrue();

        lane.update(List.of(able(0, 101), able(0, 0)), NOTHING_READ, 1, T0 + 900);
        assertThat(lane.isBehind(T0 + 1_800)).as("ages of half the target keep it behind").isTrue();
        lane.update(List.of(able(0, 100), able(0, 0)), NOTHING_READ, 1, T0 + 1_800);
        assertThat(lane.isBehind(T0 + 1_901)).as("a second later").isFalse();

        lane.update(List.of(able(0, 101), able(0, 0)), NOTHING_READ, 1, T0 + 2_000);
        assertThat(lane.isBehind(T0 + 2_000)).as("half the target does not set it behind").isFalse();
        lane.update(List.of(able(0, 201), able(0, 0)), NOTHING_READ, 1, T0 + 2_000);
        assertThat(lane.isBehind(T0 + 2_000)).as("ages over the target").isTrue();
    }

    @Test
    void the_partition_backlog_beyond_the_slots_counts_once_for_each_update() {
        PartitionBacklog backlog = backlog(211, T0);
        lane.update(List.of(able(0, 0)), backlog(210, T0), 1, T0);
        assertThat(lane.isBehind(T0)).isFalse();
        lane.update(List.of(able(0, 0)), backlog, 1, T0);
        assertThat(lane.isBehind(T0)).isTrue();
        lane.update(List.of(able(0, 0)), backlog, 1, T0 + 900);
        assertThat(lane.isBehind(T0 + 1_001)).as("the same backlog again").isFalse();
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
    void without_a_worker_the_lane_is_behind() {
        lane.update(List.of(able(0, 0)), NOTHING_READ, 1, T0);
        lane.update(List.of(), NOTHING_READ, 1, T0 + 5_000);
        assertThat(lane.isBehind(T0 + 5_500)).isTrue();
        lane.update(List.of(able(0, 0)), NOTHING_READ, 1, T0 + 5_600);
        assertThat(lane.isBehind(T0 + 6_001)).isFalse();
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
        lane.update(List.of(able(1_000, 0)), NOTHING_READ, 1, T0);
        assertThat(lane.isBehind(T0)).isTrue();
        assertThat(lane.isBehind(T0 - 3_600_000)).isFalse();
        lane.update(List.of(able(0, 0)), NOTHING_READ, 1, T0 - 3_600_000);
        lane.sent(T0 - 3_600_000);
        assertThat(lane.isBehind(T0 - 3_600_000)).isFalse();
    }

    private static LaneReport able(long waiting, double ageMillis) {
        return new LaneReport(10, 1_000, 500, waiting, ageMillis);
    }

    private static PartitionBacklog backlog(long waiting, long atMillis) {
        return PartitionBacklog.unknown(2).next(new long[] {waiting, 0}, new long[2], atMillis, 10_000);
    }
}
