package io.spillway.core.overload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.spillway.core.item.Lane;
import io.spillway.core.policy.PolicySettings;
import io.spillway.core.policy.TenantContext;
import io.spillway.core.policy.TenantPolicy;
import io.spillway.core.progress.SuspectStatus;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Six partitions. Worker a owns 0 and 1, b owns 2, c owns 3; nobody is known to own 4 and 5. */
class FleetTest {
    private static final long T0 = 1_800_000_000_000L;
    private static final int[] ALL = {0, 1, 2, 3, 4, 5};
    private static final TenantContext ACME = TenantContext.of("acme", 3, TenantPolicy.of(PolicySettings.NONE_SET));

    private final Fleet fleet = new Fleet(ProtectionSettings.DEFAULT, 6);

    @Test
    void without_workers_items_go_to_the_least_backlog_including_items_sent_since() {
        fleet.update(Map.of(), hot(10, 3, 5, 4, 0, 0), 1, T0);
        StringBuilder chosen = new StringBuilder();
        for (int i = 0; i < 8; i++) {
            chosen.append(fleet.place(Lane.HOT, ALL, 4, 0, 0, T0));
        }
        assertThat(chosen.chars().sorted().mapToObj(c -> "" + (char) c).reduce("", String::concat))
                .as("3, 4 and 5, of which 1 is the first among equals").isEqualTo("11112233");
    }

    @Test
    void two_partitions_of_one_worker_share_its_slots() {
        fleet.update(equalWorkers(), LaneBacklogs.UNKNOWN, 1, T0);
        int[] shares = shares(Lane.HOT, 1_200, 4);
        assertThat(shares[0] + shares[1]).as("of a third").isEqualTo(400);
        assertThat(shares[0]).isCloseTo(200, within(40));
        assertThat(shares[2]).isEqualTo(400);
        assertThat(shares[3]).isEqualTo(400);
    }

    @Test
    void without_protection_items_of_hot_are_shared_by_workers_all_the_same() {
        Fleet unprotected = new Fleet(ProtectionSettings.OFF, 6);
        unprotected.update(equalWorkers(), LaneBacklogs.UNKNOWN, 1, T0);
        int[] shares = new int[4];
        for (int i = 0; i < 1_200; i++) {
            shares[unprotected.placeInHot(ACME, "", false, ALL, 4, i, T0)]++;
        }
        assertThat(shares[2]).as("a third, of which b has one partition and a two").isEqualTo(400);
    }

    @Test
    void each_worker_gets_a_share_by_what_it_can_handle() {
        Map<String, WorkerReport> workers = workers(500, 100, 400);
        fleet.update(workers, LaneBacklogs.UNKNOWN, 1, T0);
        int[] shares = shares(Lane.HOT, 1_000, 4);
        assertThat(shares[0] + shares[1]).isCloseTo(500, within(10));
        assertThat(shares[2]).as("a fifth of the speed").isCloseTo(100, within(10));
        assertThat(shares[3]).isCloseTo(400, within(10));
    }

    @Test
    void what_waits_for_a_worker_in_any_of_its_partitions_counts() {
        fleet.update(equalWorkers(), hot(0, 90, 40, 50, 0, 0), 1, T0);
        for (int i = 0; i < 46; i++) {
            assertThat(fleet.place(Lane.OVERFLOW, new int[] {0, 2}, 2, i, i, T0)).as("90 wait for a, 40 to 85 for b")
                    .isEqualTo(2);
        }
        assertThat(shares(Lane.OVERFLOW, 100, 4)[3]).as("c has 50, and the others 90").isGreaterThan(50);
    }

    @Test
    void a_flood_of_slow_items_elsewhere_leaves_room_in_hot_for_quick_ones() {
        WorkerReport report = new WorkerReport(10, 20, 5_000, 20, 0, 0, Map.of(Lane.HOT, Set.of(0)));
        for (int i = 0; i < 10; i++) {
            fleet.update(Map.of("a", report), LaneBacklogs.UNKNOWN, 1, T0 + i * Fleet.UPDATE_MILLIS);
        }
        for (int i = 0; i < 500; i++) {
            assertThat(fleet.placeInHot(ACME, "", false, ALL, 1, i, T0 + 1_000)).as("100 ms of its capacity").isZero();
        }
    }

    @Test
    void aged_items_wait_behind_live_ones() {
        LaneBacklogs backlogs = new LaneBacklogs(
                PartitionBacklog.of(0, 0, 90, 0, 0, 0), PartitionBacklog.of(0, 0, 0, 60, 0, 0),
                PartitionBacklog.of(50, 0, 0, 0, 0, 0));
        fleet.update(equalWorkers(), backlogs, 1, T0);
        assertThat(fleet.place(Lane.AGED, ALL, 4, 0, 0, T0)).as("a has 50, b 90, c 60").isIn(0, 1);
        assertThat(fleet.place(Lane.OVERFLOW, ALL, 4, 0, 0, T0)).as("a has none").isIn(0, 1);
    }

    @Test
    void partitions_that_are_stuck_or_without_owner_are_used_only_when_all_candidates_are() {
        PartitionBacklog stuck = stuck(2, 0, 0, 1, 900, 1, 0);
        fleet.update(equalWorkers(), new LaneBacklogs(stuck, stuck, stuck), 1, T0);
        assertThat(fleet.place(Lane.HOT, new int[] {2, 3, 4}, 3, 0, 0, T0)).as("2 is stuck, 4 has no owner")
                .isEqualTo(3);
        assertThat(fleet.place(Lane.HOT, new int[] {2, 4}, 2, 0, 0, T0)).isEqualTo(4);
        assertThat(fleet.place(Lane.HOT, new int[] {2}, 1, 0, 0, T0)).isEqualTo(2);
    }

    @Test
    void a_worker_that_has_gone_gets_nothing_and_the_next_owner_starts_with_what_waits() {
        fleet.update(equalWorkers(), hot(0, 0, 70, 0, 0, 0), 1, T0);
        Map<String, WorkerReport> left = new LinkedHashMap<>(equalWorkers());
        left.remove("b");
        fleet.update(left, hot(0, 0, 70, 0, 0, 0), 1, T0 + 1);
        assertThat(shares(Lane.HOT, 200, 4)[2]).isZero();
        left.put("c", report(1_000, Set.of(2, 3)));
        fleet.update(left, hot(0, 0, 70, 0, 0, 0), 1, T0 + 1);
        int[] shares = shares(Lane.OVERFLOW, 100, 4);
        assertThat(shares[0] + shares[1]).as("a has none, and c has 70").isCloseTo(85, within(3));
    }

    @Test
    void an_item_is_placed_within_a_time_or_not_at_all() {
        LaneBacklogs backlogs = new LaneBacklogs(PartitionBacklog.of(0, 0, 900, 0, 0, 0),
                PartitionBacklog.of(0, 0, 200, 0, 0, 0), PartitionBacklog.of(0, 0, 0, 0, 0, 0));
        fleet.update(equalWorkers(), backlogs, 1, T0);
        assertThat(fleet.placeWithin(Lane.OVERFLOW, new int[] {2}, 1, 1_000, 0, 0, T0)).as("1.1 s")
                .isEqualTo(Fleet.EXCESS);
        assertThat(fleet.placeWithin(Lane.OVERFLOW, new int[] {2}, 1, 1_200, 0, 0, T0)).isEqualTo(2);
        assertThat(fleet.placeWithin(Lane.OVERFLOW, new int[] {2, 3}, 2, 1_000, 0, 0, T0)).isEqualTo(3);

        LaneBacklogs full = new LaneBacklogs(PartitionBacklog.of(0, 0, 0, 0, 0, 0),
                PartitionBacklog.of(0, 0, 0, 200, 0, 0), PartitionBacklog.of(0, 0, 0, 0, 0, 0));
        fleet.update(equalWorkers(), full, 1, T0);
        assertThat(fleet.placeWithin(Lane.OVERFLOW, new int[] {3}, 1, 199, 0, 0, T0)).isEqualTo(Fleet.EXCESS);
        assertThat(fleet.placeWithin(Lane.OVERFLOW, new int[] {3}, 1, 200, 0, 0, T0)).as("200 ms").isEqualTo(3);
    }

    @Test
    void a_worker_that_hangs_is_avoided_in_every_lane_and_what_hangs_stays_with_it() {
        PartitionBacklog none = PartitionBacklog.of(0, 0, 0, 0, 0, 0);
        PartitionBacklog hot = stuck(2, 0, 0, 9_000, 5, 0, 0);
        fleet.update(equalWorkers(), new LaneBacklogs(hot, none, none), 1, T0);
        assertThat(fleet.place(Lane.OVERFLOW, new int[] {2, 3}, 2, 0, 0, T0)).as("b hangs in hot").isEqualTo(3);
        assertThat(shares(Lane.AGED, 100, 4)[2]).isZero();
        assertThat(fleet.placeWithin(Lane.OVERFLOW, new int[] {2}, 1, 1_000, 0, 0, T0)).as("to no other worker")
                .isEqualTo(2);
    }

    @Test
    void a_worker_whose_slots_are_all_taken_for_long_gets_what_has_no_other_choice_although_nothing_waits_there() {
        Map<String, WorkerReport> workers = new HashMap<>(equalWorkers());
        WorkerReport busy = workers.get("b").with("shared", new SlotUse(9, Map.of("acme", 9)), SuspectStatus.NONE);
        WorkerReport full = workers.get("b").with("shared", new SlotUse(10, Map.of("acme", 10)), SuspectStatus.NONE);
        workers.put("b", new WorkerReport(10, 1_000, 1_000, 4, 0, 0, full.owned()).with("shared", full.use(), full.suspects()));
        fleet.update(workers, LaneBacklogs.UNKNOWN, 1, T0);
        workers.put("b", full);
        fleet.update(workers, LaneBacklogs.UNKNOWN, 1, T0 + Fleet.HANG_MILLIS - 1);
        assertThat(fleet.fullWorkers()).as("it ended an attempt less than 2 s ago").isZero();
        assertThat(shares(Lane.HOT, 300, 4)[2]).isPositive();

        fleet.update(workers, LaneBacklogs.UNKNOWN, 1, T0 + Fleet.HANG_MILLIS);
        assertThat(fleet.fullWorkers()).isEqualTo(1);
        assertThat(shares(Lane.HOT, 300, 4)[2]).isZero();
        assertThat(shares(Lane.OVERFLOW, 300, 4)[2]).isZero();
        assertThat(fleet.place(Lane.HOT, new int[] {2}, 1, 0, 0, T0)).isEqualTo(2);
        PartitionBacklog stuck = stuck(3, 0, 0, 0, 7, 0, 0);
        fleet.update(workers, new LaneBacklogs(stuck, stuck, stuck), 1, T0 + Fleet.HANG_MILLIS);
        assertThat(fleet.place(Lane.HOT, new int[] {2, 3}, 2, 0, 0, T0)).as("3 is stuck").isEqualTo(2);

        workers.put("b", busy);
        fleet.update(workers, LaneBacklogs.UNKNOWN, 1, T0 + Fleet.HANG_MILLIS);
        assertThat(fleet.fullWorkers()).as("a slot is free").isZero();
        assertThat(shares(Lane.HOT, 300, 4)[2]).isPositive();
    }

    @Test
    void a_worker_that_ends_attempts_is_used_for_hot_while_other_items_wait_behind_it() {
        PartitionBacklog none = PartitionBacklog.of(0, 0, 0, 0, 0, 0);
        PartitionBacklog waits = stuck(2, 0, 0, 9, 0, 0, 0);
        Map<String, WorkerReport> workers = new HashMap<>(equalWorkers());
        workers.put("b", new WorkerReport(10, 1_000, 1_000, 4, 0, 0, workers.get("b").owned()));
        fleet.update(workers, new LaneBacklogs(none, waits, none), 1, T0);
        assertThat(shares(Lane.HOT, 300, 4)[2]).isCloseTo(100, within(10));
        assertThat(shares(Lane.OVERFLOW, 100, 4)[2]).isZero();
        fleet.update(equalWorkers(), new LaneBacklogs(none, waits, none), 1, T0 + Fleet.HANG_MILLIS - 1);
        assertThat(shares(Lane.HOT, 300, 4)[2]).as("none since its last report").isPositive();
        fleet.update(equalWorkers(), new LaneBacklogs(none, waits, none), 1, T0 + Fleet.HANG_MILLIS);
        assertThat(shares(Lane.HOT, 300, 4)[2]).as("it ends none").isZero();
    }

    @Test
    void excess_waits_behind_what_goes_on_coming_to_hot() {
        for (int i = 1; i <= 1_000; i++) {
            for (int item = 0; item < 90; item++) {
                fleet.place(Lane.HOT, new int[] {2}, 1, item, item, T0 + 100 * i);
            }
            fleet.update(equalWorkers(), hot(0, 0, 0, 0, 0, i % 2), 1, T0 + 100 * i);
        }
        int[] shares = new int[6];
        for (int i = 0; i < 1_100; i++) {
            shares[fleet.place(Lane.OVERFLOW, new int[] {2, 3}, 2, i, i, T0 + 100_000)]++;
        }
        assertThat(shares[2]).as("hot leaves a tenth of b").isCloseTo(100, within(15));
    }

    @Test
    void a_worker_that_has_come_back_with_a_backlog_is_not_taken_for_idle() {
        fleet.update(workers(0, 0, 0), hot(0, 0, 500, 0, 0, 0), 1, T0);
        assertThat(shares(Lane.HOT, 300, 4)[2]).as("500 wait, and nothing is known of its capacity").isZero();
    }

    @Test
    void hot_is_behind_where_it_is_behind() {
        fleet.update(equalWorkers(), LaneBacklogs.UNKNOWN, 1, T0);
        int toHot = 0;
        for (int i = 0; i < 1_000; i++) {
            toHot += fleet.placeInHot(ACME, "", false, new int[] {2}, 1, i, T0) == Fleet.EXCESS ? 0 : 1;
        }
        assertThat(toHot).as("ten slots and a part of 200 ms").isBetween(110, 200);
        assertThat(fleet.isBehind(T0)).isTrue();
        assertThat(fleet.isBehind(T0 + 10_000)).isFalse();
        assertThat(fleet.behind(T0)).isEqualTo(1);
        assertThat(fleet.placeInHot(ACME, "", false, new int[] {2}, 1, 0, T0)).isEqualTo(Fleet.EXCESS);
        assertThat(fleet.placeInHot(ACME, "", false, ALL, 4, 0, T0)).as("others are idle").isIn(0, 1, 3);
    }

    @Test
    void a_retry_goes_to_hot_only_where_it_delays_no_fresh_item() {
        fleet.update(equalWorkers(), LaneBacklogs.UNKNOWN, 1, T0);
        int retries = 0;
        while (fleet.placeInHot(ACME, "", true, new int[] {2}, 1, retries, T0) != Fleet.EXCESS) {
            retries++;
        }
        assertThat(retries).as("half of ten slots").isEqualTo(5);
        assertThat(fleet.placeInHot(ACME, "", false, new int[] {2}, 1, 0, T0)).as("fresh").isEqualTo(2);
        assertThat(fleet.placeInHot(ACME, "", true, new int[] {2}, 1, 0, T0 + 5)).as("5 ms later").isEqualTo(2);
    }

    @Test
    void the_fleet_is_caught_up_when_little_waits_beyond_all_slots() {
        fleet.update(equalWorkers(), hot(10, 10, 10, 0, 0, 0), 1, T0);
        assertThat(fleet.isCaughtUp(all -> true)).as("30 slots").isTrue();
        fleet.update(equalWorkers(), hot(630, 0, 0, 0, 0, 0), 1, T0 + 1);
        assertThat(fleet.isCaughtUp(all -> true)).as("30 in slots, and 600 for 3,000 a second").isTrue();
        fleet.update(equalWorkers(), hot(631, 0, 0, 0, 0, 0), 1, T0 + 2);
        assertThat(fleet.isCaughtUp(all -> true)).isFalse();
        PartitionBacklog none = PartitionBacklog.of(0, 0, 0, 0, 0, 0);
        PartitionBacklog half = PartitionBacklog.of(315, 0, 0, 0, 0, 0);
        fleet.update(equalWorkers(), new LaneBacklogs(half, half, none), 1, T0 + 2);
        assertThat(fleet.isCaughtUp(all -> true)).as("hot and overflow together").isTrue();
        fleet.update(equalWorkers(), new LaneBacklogs(half, PartitionBacklog.of(316, 0, 0, 0, 0, 0), none), 1, T0 + 2);
        assertThat(fleet.isCaughtUp(all -> true)).isFalse();
        fleet.update(Map.of(), LaneBacklogs.UNKNOWN, 1, T0 + 3);
        assertThat(fleet.isCaughtUp(all -> true)).as("without workers").isFalse();
    }

    @Test
    void an_empty_partition_without_a_known_owner_is_used_like_any_other() {
        fleet.update(equalWorkers(), hot(0, 0, 500, 0, 0, 0), 1, T0);
        assertThat(fleet.place(Lane.HOT, new int[] {2, 4}, 2, 0, 0, T0)).isEqualTo(4);
    }

    @Test
    void equal_neighbours_are_first_equally_often() {
        int second = 0;
        for (int turn = 0; turn < 1_000; turn++) {
            Fleet other = new Fleet(ProtectionSettings.DEFAULT, 6);
            other.update(Map.of(), hot(9, 0, 0, 9, 0, 0), 1, T0);
            second += other.place(Lane.HOT, ALL, 4, turn, 0, T0) == 1 ? 1 : 0;
        }
        assertThat(second).as("of 1 and 2").isBetween(450, 550);
    }

    @Test
    void candidates_of_the_same_owner_are_kept_and_those_beyond_the_count_are_not_looked_at() {
        fleet.update(equalWorkers(), LaneBacklogs.UNKNOWN, 1, T0);
        int[] candidates = {2, 0, 3, 1};
        assertThat(fleet.keepOwnersOf(Lane.HOT, 1, candidates, 3)).isEqualTo(1);
        assertThat(candidates[0]).isZero();
        assertThat(fleet.keepOwnersOf(Lane.HOT, 1, new int[] {2, 0, 3, 1}, 4)).isEqualTo(2);
    }

    @Test
    void partitions_beyond_those_of_the_fleet_are_ignored() {
        Fleet one = new Fleet(ProtectionSettings.DEFAULT, 1);
        one.update(equalWorkers(), LaneBacklogs.UNKNOWN, 1, T0);
        assertThat(one.place(Lane.HOT, ALL, 1, 0, 0, T0)).isZero();
    }

    @Test
    void stuck_partitions_are_counted_by_lane() {
        PartitionBacklog none = PartitionBacklog.of(0, 0, 0, 0, 0, 0);
        fleet.update(equalWorkers(), new LaneBacklogs(none, stuck(2, 0, 0, 1, 0, 0, 0), none), 1, T0);
        assertThat(fleet.stuckPartitions(Lane.OVERFLOW)).isEqualTo(1);
        assertThat(fleet.stuckPartitions(Lane.HOT)).isZero();
    }

    @Test
    void invalid_arguments_are_rejected() {
        assertThatThrownBy(() -> new Fleet(ProtectionSettings.DEFAULT, 0)).hasMessageContaining("partitions = 0");
        assertThatThrownBy(() -> fleet.place(Lane.HOT, ALL, 0, 0, 0, T0)).hasMessageContaining("count = 0");
    }

    private int[] shares(Lane lane, int items, int candidates) {
        int[] shares = new int[ALL.length];
        for (int i = 0; i < items; i++) {
            shares[fleet.place(lane, ALL, candidates, i, i, T0)]++;
        }
        return shares;
    }

    private static Map<String, WorkerReport> equalWorkers() {
        return workers(1_000, 1_000, 1_000);
    }

    private static Map<String, WorkerReport> workers(double a, double b, double c) {
        return Map.of("a", report(a, Set.of(0, 1)), "b", report(b, Set.of(2)), "c", report(c, Set.of(3)));
    }

    private static WorkerReport report(double possible, Set<Integer> owned) {
        return new WorkerReport(
                10, possible, possible, 0, 0, 0, Map.of(Lane.HOT, owned, Lane.OVERFLOW, owned, Lane.AGED, owned));
    }

    private static LaneBacklogs hot(long... waiting) {
        PartitionBacklog none = PartitionBacklog.of(0, 0, 0, 0, 0, 0);
        return new LaneBacklogs(PartitionBacklog.of(waiting), none, none);
    }

    private static PartitionBacklog stuck(int partition, long... waiting) {
        boolean[] stuck = new boolean[waiting.length];
        stuck[partition] = true;
        return new PartitionBacklog(waiting, stuck);
    }
}
