package io.spillway.core.overload;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** The target is 200 ms. Usually one worker of 10 slots that can handle 1,000 a second. */
class HotLaneTest {
    private static final long T0 = 1_800_000_000_000L;
    private static final PartitionBacklog NOTHING_READ = PartitionBacklog.unknown(0);

    private final HotLane lane = new HotLane(200);

    @Test
    void before_any_worker_has_spoken_nothing_is_known() {
        lane.look(List.of(), NOTHING_READ, 1, T0);
        for (int i = 0; i < 100_000; i++) {
            lane.sent(T0);
        }
        assertThat(lane.isBehind(T0)).isFalse();
    }

    @Test
    void a_burst_is_seen_at_the_item_that_the_workers_cannot_handle_in_time() {
        lane.look(List.of(able(0, 0)), NOTHING_READ, 1, T0);
        for (int i = 0; i < 210; i++) {
            lane.sent(T0 + 1);
        }
        assertThat(lane.isBehind(T0 + 1)).as("10 in slots, 200 in 200 ms").isFalse();
        lane.sent(T0 + 1);
        assertThat(lane.isBehind(T0 + 1)).isTrue();
        assertThat(lane.isBehind(T0 + 1_000)).isTrue();
        assertThat(lane.isBehind(T0 + 1_001)).as("nothing since").isFalse();
    }

    @Test
    void what_the_workers_can_handle_may_go_on_for_ever() {
        for (int millis = 0; millis < 60_000; millis++) {
            if (millis % 250 == 0) {
                lane.look(List.of(able(0, 50)), NOTHING_READ, 1, T0 + millis);
            }
            lane.sent(T0 + millis);
            assertThat(lane.isBehind(T0 + millis)).as("%d ms", millis).isFalse();
        }
    }

    @Test
    void slots_that_are_full_of_slow_work_are_not_behind() {
        // 50 slots and handlers of a second: 50 a second.
        lane.look(List.of(new LaneReport(50, 50, 0, 0, 0)), NOTHING_READ, 1, T0);
        for (int i = 0; i < 50; i++) {
            lane.sent(T0);
        }
        lane.look(List.of(new LaneReport(50, 50, 0, 0, 0)), reading(50, T0), 1, T0 + 250);
        assertThat(lane.isBehind(T0 + 250)).isFalse();
    }

    @Test
    void each_sign_of_the_workers_will_do_and_half_of_it_holds_on() {
        lane.look(List.of(able(0, 0), able(201, 0)), NOTHING_READ, 1, T0);
        assertThat(lane.isBehind(T0)).as("201 waiting with 2,000 a second").isFalse();
        lane.look(List.of(able(0, 0), able(401, 0)), NOTHING_READ, 1, T0);
        assertThat(lane.isBehind(T0)).as("401 waiting").isTrue();

        lane.look(List.of(able(0, 101), able(0, 0)), NOTHING_READ, 1, T0 + 900);
        assertThat(lane.isBehind(T0 + 1_800)).as("ages of half the target hold on").isTrue();
        lane.look(List.of(able(0, 100), able(0, 0)), NOTHING_READ, 1, T0 + 1_800);
        assertThat(lane.isBehind(T0 + 1_901)).as("a second later").isFalse();

        lane.look(List.of(able(0, 101), able(0, 0)), NOTHING_READ, 1, T0 + 2_000);
        assertThat(lane.isBehind(T0 + 2_000)).as("half the target does not make it behind").isFalse();
        lane.look(List.of(able(0, 201), able(0, 0)), NOTHING_READ, 1, T0 + 2_000);
        assertThat(lane.isBehind(T0 + 2_000)).as("ages over the target").isTrue();
    }

    @Test
    void what_lies_in_the_partitions_counts_beyond_the_slots_once_for_each_reading() {
        PartitionBacklog reading = reading(211, T0);
        lane.look(List.of(able(0, 0)), reading(210, T0), 1, T0);
        assertThat(lane.isBehind(T0)).isFalse();
        lane.look(List.of(able(0, 0)), reading, 1, T0);
        assertThat(lane.isBehind(T0)).isTrue();
        lane.look(List.of(able(0, 0)), reading, 1, T0 + 900);
        assertThat(lane.isBehind(T0 + 1_001)).as("the same reading again").isFalse();
    }

    @Test
    void a_capacity_told_too_low_is_made_good_by_the_reading() {
        lane.look(List.of(new LaneReport(10, 100, 0, 0, 0)), NOTHING_READ, 1, T0);
        for (int i = 0; i < 100; i++) {
            lane.sent(T0);
        }
        assertThat(lane.isBehind(T0)).isTrue();
        lane.look(List.of(new LaneReport(10, 100, 1_000, 0, 0)), reading(0, T0 + 1_000), 1, T0 + 1_000);
        lane.sent(T0 + 1_001);
        assertThat(lane.isBehind(T0 + 1_001)).as("they were handled at once").isFalse();
    }

    @Test
    void without_a_worker_hot_is_behind_until_one_is_there() {
        lane.look(List.of(able(0, 0)), NOTHING_READ, 1, T0);
        lane.look(List.of(), NOTHING_READ, 1, T0 + 5_000);
        assertThat(lane.isBehind(T0 + 5_500)).isTrue();
        lane.look(List.of(able(0, 0)), NOTHING_READ, 1, T0 + 5_600);
        assertThat(lane.isBehind(T0 + 6_001)).isFalse();
    }

    @Test
    void free_slots_beside_old_items_mean_that_what_is_handled_is_all_that_can_be() {
        assertThat(lane.look(List.of(new LaneReport(50, 1e6, 3_000, 0, 100)), NOTHING_READ, 1, T0)).isEqualTo(1e6);
        assertThat(lane.look(List.of(new LaneReport(50, 1e6, 3_000, 0, 900)), NOTHING_READ, 1, T0)).isEqualTo(3_000);
    }

    @Test
    void of_two_routers_each_counts_on_half() {
        assertThat(lane.look(List.of(able(0, 0)), NOTHING_READ, 2, T0)).isEqualTo(500);
        for (int i = 0; i < 111; i++) {
            lane.sent(T0);
        }
        assertThat(lane.isBehind(T0)).isTrue();
    }

    @Test
    void a_clock_that_is_set_back_leaves_it_behind_for_no_longer() {
        lane.look(List.of(able(1_000, 0)), NOTHING_READ, 1, T0);
        assertThat(lane.isBehind(T0)).isTrue();
        assertThat(lane.isBehind(T0 - 3_600_000)).isFalse();
        lane.look(List.of(able(0, 0)), NOTHING_READ, 1, T0 - 3_600_000);
        lane.sent(T0 - 3_600_000);
        assertThat(lane.isBehind(T0 - 3_600_000)).isFalse();
    }

    private static LaneReport able(long waiting, double ageMillis) {
        return new LaneReport(10, 1_000, 500, waiting, ageMillis);
    }

    private static PartitionBacklog reading(long waiting, long atMillis) {
        return PartitionBacklog.unknown(2).next(new long[] {waiting, 0}, new long[2], atMillis, 10_000);
    }
}
