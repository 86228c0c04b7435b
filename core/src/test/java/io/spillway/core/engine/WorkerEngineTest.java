package io.spillway.core.engine;

import static io.spillway.core.engine.EngineTimeline.START_MILLIS;
import static io.spillway.core.engine.EngineTimeline.UNREADABLE;
import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.item.Lane;
import io.spillway.core.progress.OffsetList;
import io.spillway.core.progress.PartitionProgress;
import io.spillway.core.progress.ProgressState;
import io.spillway.handler.Outcome;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Arrivals, free slots, ends of attempts and commits on a set timeline. */
class WorkerEngineTest {
    private static final Outcome SUCCEEDED = Outcome.done();
    private static final Outcome FAILED = Outcome.retry("status 503");

    private final EngineTimeline one = new EngineTimeline(1);
    private final EngineTimeline many = new EngineTimeline(1_000);

    @ParameterizedTest(name = "in {0} after {1} ms, swept before {2}")
    @CsvSource(delimiter = '|', textBlock = """
            hot      | 0      |        | start 0
            hot      | 10000  |        | start 0
            hot      | 10001  |        | move 0 to aged: age, moves 1
            overflow | 10000  |        | start 0
            overflow | 10001  |        | move 0 to aged: age, moves 1
            aged     | 10001  |        | start 0
            hot      | 60001  |        | drop 0: ttl
            overflow | 60001  |        | drop 0: ttl
            aged     | 60001  |        | drop 0: ttl
            hot      | 5000   | -5000  | start 0
            hot      | 5000   | -4999  | drop 0: sweep
            aged     | 60001  | 0      | drop 0: sweep
            """)
    void an_arrival_is_started_moved_or_dropped_by_its_age_and_lane(
            String lane, long ageMillis, Long sweptBefore, String effect) {
        if (sweptBefore != null) {
            one.sweptBeforeMillis = START_MILLIS + sweptBefore;
        }
        EnginePartition partition = one.partition(laneOf(lane));

        one.arrives(partition, 0, ageMillis);

        assertThat(one.effects()).containsExactly(effect);
        assertThat(partition.unfinished()).as("moved or dropped, it is finished here")
                .isEqualTo(effect.startsWith("start") ? 1 : 0);
    }

    @ParameterizedTest(name = "in {0} after {1} ms with the clock {2} ms ahead")
    @CsvSource(delimiter = '|', textBlock = """
            hot      | 70000  | 60000 | start 0
            hot      | 70001  | 60000 | move 0 to aged: age, moves 1
            hot      | 120001 | 60000 | drop 0: ttl
            overflow | 70000  | 60000 | start 0
            overflow | 70001  | 60000 | move 0 to aged: age, moves 1
            aged     | 120000 | 60000 | start 0
            hot      | 0      | 60000 | start 0
            """)
    void a_step_of_the_clock_is_no_part_of_an_age(String lane, long ageMillis, long aheadMillis, String effect) {
        one.clockAheadMillis = aheadMillis;
        one.arrives(one.partition(laneOf(lane)), 0, ageMillis);
        assertThat(one.effects()).containsExactly(effect);
    }

    @Test
    void nothing_starts_before_the_first_commit() {
        EnginePartition partition = one.takeOver(Lane.HOT, ProgressState.fresh(0));
        assertThat(partition.isDirty()).isTrue();

        one.arrives(partition, 0, 0);
        assertThat(one.effects()).containsExactly("commit wanted");

        one.commit(partition);
        assertThat(one.effects()).containsExactly("start 0");
    }

    @Test
    void items_above_the_horizon_are_held_until_a_commit_raises_it() {
        EnginePartition partition = many.partition(Lane.HOT);
        LongStream.range(0, 130).forEach(offset -> many.arrives(partition, offset, 0));
        assertThat(many.effects()).endsWith("start 127", "commit wanted", "commit wanted").hasSize(130);
        assertThat(partition.isDirty()).isTrue();

        ProgressState snapshot = many.commit(partition);

        assertThat(many.effects()).containsExactly("start 128", "start 129");
        assertThat(snapshot.horizon()).as("twice what was read since the last snapshot ahead").isEqualTo(130 + 2 * 130);
        assertThat(partition.isDirty()).isFalse();
    }

    @Test
    void a_snapshot_that_is_not_committed_releases_nothing_and_is_due_again() {
        EnginePartition partition = one.takeOver(Lane.HOT, ProgressState.fresh(0));
        one.arrives(partition, 0, 0);
        one.engine.snapshot(partition);
        assertThat(partition.isDirty()).isFalse();

        partition.markDirty();
        one.fill();

        assertThat(partition.isDirty()).isTrue();
        assertThat(one.effects()).containsExactly("commit wanted");
    }

    @Test
    void an_item_that_ages_while_it_is_held_or_waits_for_a_slot_is_not_started() {
        EnginePartition partition = one.partition(Lane.HOT);
        one.arrives(partition, 0, 0);
        one.arrives(partition, 1, 0);
        one.arrives(partition, 128, 0);
        assertThat(one.effects()).containsExactly("start 0", "commit wanted");

        one.nowMillis += 10_001;
        one.commit(partition);
        assertThat(one.effects()).as("released, and too old for hot").containsExactly("move 128 to aged: age, moves 1");
        one.ends(0, SUCCEEDED);
        assertThat(one.effects()).as("taken for the free slot, and too old").containsExactly(
                "done 0", "move 1 to aged: age, moves 1");

        one.arrives(partition, 129, 0);
        assertThat(one.effects()).as("its slot is free again").containsExactly("start 129");
    }

    /** Only the trickle takes items of overflow here. It takes all that are too old at once, and then a fresh one. */
    @Test
    void items_that_age_in_overflow_behind_a_backlog_of_hot_leave_it_without_using_up_its_trickle() {
        EnginePartition hot = one.partition(Lane.HOT);
        EnginePartition overflow = one.partition(Lane.OVERFLOW);
        LongStream.range(0, 100).forEach(offset -> one.arrives(hot, offset, -20_000));
        LongStream.range(100, 103).forEach(offset -> one.arrives(overflow, offset, 0));
        one.arrives(overflow, 103, -20_000);
        one.nowMillis += 10_001;
        LongStream.range(0, 19).forEach(offset -> one.ends(offset, SUCCEEDED));
        one.effects();

        one.ends(19, SUCCEEDED);

        assertThat(one.effects()).containsExactly(
                "done 19", "move 100 to aged: age, moves 1", "move 101 to aged: age, moves 1",
                "move 102 to aged: age, moves 1", "start 103");
    }

    @ParameterizedTest(name = "{0} after {1} attempts")
    @CsvSource(delimiter = '|', textBlock = """
            succeeded   | 0 | done 0
            succeeded   | 9 | done 0
            failed      | 0 | retry 0: attempts 1, blame 1000, due at 1500
            failed      | 1 | retry 0: attempts 2, blame 2000, due at 2500
            failed      | 2 | dead-letter 0: attempts-used-up, status 503, attempts 3
            timed out   | 0 | retry 0: attempts 1, blame 1000, due at 1500
            timed out   | 2 | dead-letter 0: attempts-used-up, stopped after 500ms, attempts 3
            unavailable | 2 | retry 0: attempts 3, blame 2000, due at 4500
            later       | 2 | move 0 to delay: later, moves 0, due at 60500
            final       | 0 | dead-letter 0: final-failure, status 410, attempts 1
            interrupted | 2 |
            """)
    void the_end_of_an_attempt_settles_its_item(String end, int attemptsBefore, String effect) {
        EnginePartition partition = one.partition(Lane.HOT);
        one.arrives(new EngineTimeline.Item(partition, 0, "acme", attemptsBefore, 0, START_MILLIS));
        one.effects();
        one.commit(partition);
        one.nowMillis += 500;

        one.ends(0, switch (end) {
            case "succeeded" -> SUCCEEDED;
            case "failed" -> FAILED;
            case "timed out" -> new Outcome.TimedOut(Duration.ofMillis(500));
            case "unavailable" -> Outcome.unavailable("status 503");
            case "later" -> Outcome.later(Duration.ofMillis(60_000));
            case "final" -> Outcome.dead("status 410");
            default -> new Outcome.Interrupted();
        });

        assertThat(one.effects()).isEqualTo(effect == null ? List.of() : List.of(effect));
        assertThat(partition.unfinished()).as("an interrupted attempt leaves its item to the next owner")
                .isEqualTo(effect == null ? 1 : 0);
        assertThat(partition.isDirty()).isEqualTo(effect != null);
        assertThat(one.engine.attempts()).isEmpty();
    }

    @Test
    void items_of_hot_that_would_wait_too_long_behind_their_own_tenant_move() {
        EnginePartition partition = one.partition(Lane.HOT);
        one.arrives(partition, 0, 0);
        one.nowMillis += 1_000;
        one.ends(0, SUCCEEDED);
        LongStream.range(1, 6).forEach(offset -> one.arrives(partition, offset, 0));
        one.arrives(new EngineTimeline.Item(partition, 6, "globex", 0, 0, START_MILLIS));
        one.effects();

        one.makeRoom();

        assertThat(one.effects()).as("one of acme's runs for a second; four others would wait for it")
                .containsExactly(
                        "move 2 to overflow: excess, moves 1", "move 3 to overflow: excess, moves 1",
                        "move 4 to overflow: excess, moves 1", "move 5 to overflow: excess, moves 1");
        assertThat(one.engine.waiting(Lane.HOT)).isEqualTo(1);
    }

    @Test
    void items_finished_before_the_takeover_are_skipped() {
        EnginePartition partition = many.takeOver(Lane.HOT, new ProgressState(
                0, 3, 0, OffsetList.of(0, 2), Optional.empty(), 0, true, false));
        many.commit(partition);

        LongStream.range(0, 4).forEach(offset -> many.arrives(partition, offset, 0));

        assertThat(many.effects()).containsExactly("start 0", "start 2", "start 3");
    }

    @Test
    void a_record_without_an_item_is_finished_once() {
        EnginePartition partition = one.takeOver(Lane.HOT, new ProgressState(
                0, 2, 2, OffsetList.of(0), Optional.empty(), 0, true, false));

        for (long offset = 0; offset < 2; offset++) {
            one.arrives(new EngineTimeline.Item(partition, offset, UNREADABLE, 0, 0, START_MILLIS));
        }
        assertThat(one.effects()).as("the owner before finished 1").containsExactly("end 0: malformed, as requested");
        one.leave(partition);
        one.arrives(new EngineTimeline.Item(partition, 2, UNREADABLE, 0, 0, START_MILLIS));
        assertThat(one.effects()).isEmpty();

        assertThat(one.engine.snapshot(partition).frontier()).isEqualTo(2);
    }

    @Test
    void each_partition_may_hold_as_much_as_is_left_of_the_read_ahead_of_its_lane() {
        int[] read = new int[3];
        List<EnginePartition> partitions = List.of(
                one.partition(Lane.OVERFLOW), one.partition(Lane.OVERFLOW), one.partition(Lane.OVERFLOW));
        for (int i = 0; i < 3; i++) {
            EnginePartition partition = partitions.get(i);
            for (; one.mayRead(partition); read[i]++) {
                one.arrives(partition, read[i], 0);
                one.commit(partition);
            }
        }
        assertThat(read).as("half of 400, then of the rest").containsExactly(200, 100, 50);
        assertThat(one.mayRead(one.partition(Lane.HOT))).isTrue();
    }

    @Test
    void a_partition_is_read_until_its_progress_is_full() {
        EnginePartition held = one.takeOver(Lane.AGED, ProgressState.fresh(0));
        long offset = 0;
        for (; offset < PartitionProgress.DEFAULT_MAX_UNFINISHED; offset++) {
            one.arrives(held, offset, 0);
        }
        assertThat(held.unfinished()).isEqualTo(PartitionProgress.DEFAULT_MAX_UNFINISHED);
        assertThat(one.mayRead(held)).isFalse();
    }

    @Test
    void a_position_beyond_the_last_record_is_committed() {
        EnginePartition partition = one.partition(Lane.HOT);
        assertThat(partition.isDirty()).isFalse();

        partition.positionedAt(7);
        assertThat(partition.isDirty()).isTrue();
        assertThat(one.commit(partition).frontier()).isEqualTo(7);

        partition.positionedAt(7);
        assertThat(partition.isDirty()).as("nothing new").isFalse();
    }

    private static Lane laneOf(String label) {
        return Lane.valueOf(label.toUpperCase(Locale.ROOT));
    }

    @Test
    void a_poll_without_items_moves_the_position() {
        EnginePartition partition = one.partition(Lane.HOT);
        one.engine.received(partition, List.of(), 7, one.nowMillis);
        assertThat(partition.position()).isEqualTo(7);
        assertThat(partition.isDirty()).isTrue();
    }

    @Test
    void no_more_attempts_run_than_the_caller_allows() {
        EnginePartition partition = many.partition(Lane.HOT);
        for (int offset = 0; offset < 3; offset++) {
            many.receives(new EngineTimeline.Item(partition, offset, "acme", 0, 0, many.nowMillis));
        }
        assertThat(many.engine.fillSlots(true, 2, many.nowMillis, many.nowNanos())).hasSize(2);
        assertThat(many.engine.fillSlots(true, 2, many.nowMillis, many.nowNanos())).isEmpty();
    }

    @Test
    void a_partition_that_is_revoked_leaves_its_part_of_the_read_ahead_once() {
        EnginePartition first = one.partition(Lane.HOT);
        EnginePartition second = one.partition(Lane.HOT);
        EnginePartition third = one.partition(Lane.HOT);
        fillUp(first);
        fillUp(second);
        assertThat(first.unfinishedBytes()).isEqualTo(first.unfinished());
        int withOther = second.unfinished();
        one.effects();

        one.leave(first);
        one.forget(first);
        assertThat(first.unfinishedBytes()).isZero();
        fillUp(third);
        assertThat(third.unfinished()).as("beside the second one").isEqualTo(withOther);
        assertThat(one.engine.waiting(Lane.HOT)).as("those of the others").isEqualTo(2 * withOther);
    }

    /** Reads acme's items until the partition may not be read; returns how many. */
    private void fillUp(EnginePartition partition) {
        for (int offset = 0; offset < 128 && one.mayRead(partition); offset++) {
            one.receives(new EngineTimeline.Item(partition, offset, "acme", 0, 0, one.nowMillis));
        }
    }
}
