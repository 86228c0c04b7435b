package io.spillway.core.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.item.Lane;
import io.spillway.core.progress.OffsetList;
import io.spillway.core.progress.ProgressState;
import io.spillway.core.progress.SuspectMark;
import io.spillway.core.progress.SuspectStatus;
import io.spillway.handler.Outcome;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Takeovers after a death, revocations and losses of partitions. */
class EngineTakeoverTest {
    private static final Outcome SUCCEEDED = Outcome.done();

    private final EngineTimeline timeline = new EngineTimeline(10);

    /** Offsets 0 to 2 were unfinished when an owner died. */
    private static ProgressState died(Optional<SuspectMark> mark, long groupEnd, boolean alone) {
        return new ProgressState(0, 3, 10, OffsetList.of(0, 1, 2), mark, groupEnd, false, alone);
    }

    private EnginePartition takeOver(Optional<SuspectMark> mark, boolean alone) {
        return takeOver(timeline, died(mark, 0, alone));
    }

    private EnginePartition takeOverWithGroup(long groupEnd) {
        return takeOver(timeline, died(Optional.empty(), groupEnd, true));
    }

    private static EnginePartition takeOver(EngineTimeline timeline, ProgressState died) {
        EnginePartition partition = timeline.takeOver(Lane.HOT, died);
        for (long offset = 0; offset < 3; offset++) {
            timeline.arrives(partition, offset, 0);
        }
        return partition;
    }

    @Test
    void after_a_first_death_the_items_are_suspects() {
        EnginePartition partition = takeOver(Optional.empty(), false);
        timeline.effects();

        ProgressState first = timeline.commit(partition);

        assertThat(first.groupEnd()).isEqualTo(3);
        assertThat(first.alone()).isTrue();
    }

    @Test
    void many_run_beside_each_other_when_the_mark_of_their_group_is_committed() {
        EnginePartition partition = takeOver(Optional.empty(), true);
        assertThat(timeline.effects()).containsExactly("commit wanted", "commit wanted", "commit wanted");
        assertThat(timeline.engine.suspects()).isEqualTo(3);

        ProgressState snapshot = timeline.engine.snapshot(partition);
        assertThat(snapshot.groupEnd()).isEqualTo(3);
        timeline.fill();
        assertThat(timeline.effects()).as("not before the commit").isEmpty();
        timeline.committed(partition, snapshot);
        timeline.fill();
        assertThat(timeline.effects()).containsExactly("start 0", "start 1", "start 2");
        timeline.commit(partition);
        timeline.fill();
        assertThat(timeline.effects()).as("a commit with the same mark starts them no second time").isEmpty();

        timeline.ends(2, SUCCEEDED);
        assertThat(timeline.commit(partition).groupEnd()).isEqualTo(2);
        timeline.ends(0, SUCCEEDED);
        timeline.ends(1, SUCCEEDED);
        assertThat(timeline.commit(partition).mark()).isEmpty();
        assertThat(timeline.engine.suspects()).isZero();
    }

    @Test
    void after_a_death_with_their_group_each_runs_alone_when_its_mark_is_committed() {
        EnginePartition partition = takeOverWithGroup(2);
        assertThat(timeline.effects()).containsExactly("commit wanted");

        assertThat(timeline.commit(partition).mark()).as("with the death of the group").contains(new SuspectMark(0, 1));
        assertThat(timeline.effects()).containsExactly("start 0 alone");
        timeline.ends(0, SUCCEEDED);
        assertThat(timeline.effects()).containsExactly("done 0", "commit wanted");
        assertThat(timeline.commit(partition).mark()).contains(new SuspectMark(1, 1));
        assertThat(timeline.effects()).containsExactly("start 1 alone");
        timeline.ends(1, SUCCEEDED);
        assertThat(timeline.commit(partition).groupEnd()).as("it was in no group").isEqualTo(3);
        assertThat(timeline.effects()).containsExactly("done 1", "commit wanted", "start 2");
    }

    @Test
    void a_group_is_small_and_filled_up_when_half_of_it_is_done() {
        long[] offsets = LongStream.range(0, 100).toArray();
        EnginePartition partition = timeline.takeOver(Lane.HOT,
                new ProgressState(0, 100, 100, OffsetList.of(offsets), Optional.empty(), 0, false, true));
        for (long offset : offsets) {
            timeline.receives(new EngineTimeline.Item(partition, offset, "acme", 0, 0, timeline.nowMillis));
        }
        timeline.fill();
        timeline.effects();

        assertThat(timeline.commit(partition).groupEnd()).isEqualTo(SuspectGroup.SIZE);
        for (int offset = 0; offset < SuspectGroup.SIZE / 2 - 1; offset++) {
            timeline.ends(offset, SUCCEEDED);
        }
        assertThat(timeline.commit(partition).groupEnd()).isEqualTo(SuspectGroup.SIZE);
        timeline.ends(SuspectGroup.SIZE / 2 - 1, SUCCEEDED);
        assertThat(timeline.commit(partition).groupEnd())
                .isEqualTo(SuspectGroup.SIZE + SuspectGroup.SIZE / 2);
    }

    @Test
    void a_snapshot_from_before_the_mark_does_not_start_the_suspects() {
        EnginePartition partition = timeline.takeOver(Lane.HOT, died(Optional.empty(), 0, true));
        ProgressState before = timeline.engine.snapshot(partition);
        timeline.arrives(partition, 0, 0);
        timeline.effects();

        timeline.committed(partition, before);
        timeline.fill();

        assertThat(timeline.effects()).isEmpty();
        timeline.commit(partition);
        timeline.fill();
        assertThat(timeline.effects()).containsExactly("start 0");
    }

    @Test
    void a_suspect_is_dead_lettered_after_its_third_death_and_the_next_is_marked() {
        EnginePartition partition = takeOver(Optional.of(new SuspectMark(0, 2)), true);

        assertThat(timeline.effects()).containsExactly(
                "dead-letter 0: killed-worker, 3 workers died with it, the last ones with it alone, attempts 3",
                "commit wanted");
        assertThat(timeline.engine.snapshot(partition).mark()).contains(new SuspectMark(1, 1, true));
    }

    @Test
    void a_suspect_with_fewer_deaths_runs_alone_again_with_its_count() {
        EnginePartition partition = takeOver(Optional.of(new SuspectMark(0, 1)), true);

        assertThat(timeline.commit(partition).mark()).contains(new SuspectMark(0, 2));
        assertThat(timeline.effects()).containsExactly("commit wanted", "start 0 alone");
    }

    @Test
    void a_suspect_with_deaths_comes_before_the_others() {
        EnginePartition partition = timeline.takeOver(Lane.HOT, died(Optional.of(new SuspectMark(2, 1)), 0, true));
        for (long offset = 0; offset < 3; offset++) {
            EngineTimeline.Item item = new EngineTimeline.Item(partition, offset, "acme", 0, 0, timeline.nowMillis);
            timeline.receives(item);
        }
        timeline.fill();

        assertThat(timeline.commit(partition).mark()).contains(new SuspectMark(2, 2));
        assertThat(timeline.effects()).containsExactly("commit wanted", "start 2 alone");
    }

    @Test
    void a_suspect_that_is_too_old_is_not_run() {
        EnginePartition partition = timeline.takeOver(Lane.HOT, died(Optional.empty(), 0, true));

        timeline.arrives(partition, 0, 10_001);
        timeline.arrives(partition, 1, 60_001);

        assertThat(timeline.effects()).containsExactly("move 0 to aged: age, moves 1", "drop 1: ttl");
        assertThat(timeline.engine.suspects()).isZero();
    }

    @Test
    void with_the_quarantine_off_suspects_run_like_all_others() {
        EngineTimeline off = new EngineTimeline(10, 0);
        off.engine.follow("b", Map.of("a", new SuspectStatus.Received(
                new SuspectStatus(0, 0, Map.of("acme", off.nowMillis)), off.nowMillis)));
        takeOver(off, died(Optional.of(new SuspectMark(0, 5)), 0, true));
        assertThat(off.effects()).containsExactly("start 0", "start 1", "start 2");
    }

    @Test
    void a_revocation_removes_waiting_items_and_lets_attempts_end() {
        EngineTimeline one = new EngineTimeline(1);
        EnginePartition partition = one.partition(Lane.HOT);
        one.arrives(partition, 0, 0);
        one.arrives(partition, 1, 0);
        one.arrives(partition, 128, 0);
        one.effects();

        one.leave(partition);
        one.arrives(partition, 129, 0);
        partition.positionedAt(500);
        assertThat(one.engine.waiting(Lane.HOT)).isZero();
        assertThat(one.mayRead(partition)).isFalse();
        assertThat(one.hasLeavingAttempts()).isTrue();

        one.ends(0, SUCCEEDED);
        assertThat(one.effects()).containsExactly("done 0");
        assertThat(one.hasLeavingAttempts()).isFalse();
        one.engine.drained(List.of(partition));
        ProgressState last = one.commit(partition);

        assertThat(last.clean()).isTrue();
        assertThat(last.frontier()).isEqualTo(1);
        assertThat(last.unfinished()).isEqualTo(OffsetList.of(1, 128));
        assertThat(one.effects()).as("the commit releases nothing of a partition that is being given up").isEmpty();
    }

    @Test
    void a_revocation_does_not_wait_for_attempts_of_partitions_that_were_lost_before() {
        EnginePartition lost = timeline.partition(Lane.HOT);
        EnginePartition partition = timeline.partition(Lane.HOT);
        timeline.arrives(lost, 0, 0);
        timeline.forget(lost);

        timeline.leave(partition);
        assertThat(timeline.hasLeavingAttempts()).isFalse();
    }

    @Test
    void a_revocation_removes_suspects_except_a_running_one() {
        EnginePartition partition = takeOverWithGroup(3);
        timeline.commit(partition);
        timeline.effects();

        timeline.leave(partition);
        assertThat(timeline.engine.suspects()).isEqualTo(1);
        assertThat(timeline.engine.snapshot(partition).mark()).contains(new SuspectMark(0, 1));

        timeline.ends(0, SUCCEEDED);
        assertThat(timeline.effects()).containsExactly("done 0");
        assertThat(timeline.engine.suspects()).isZero();
    }

    @Test
    void a_member_of_a_group_that_terminates_the_process_leaves_the_mark_of_those_that_run() {
        EngineTimeline two = new EngineTimeline(2);
        EnginePartition partition = takeOver(two, died(Optional.empty(), 0, true));
        two.commit(partition);
        two.fill();

        two.leave(partition);
        assertThat(two.engine.suspects()).as("2 had no slot").isEqualTo(2);
        two.ends(0, new Outcome.Interrupted());
        partition.endsProcess();
        two.engine.drained(List.of(partition));

        ProgressState last = two.commit(partition);
        assertThat(last.clean()).isFalse();
        assertThat(last.groupEnd()).isEqualTo(2);
    }

    @Test
    void an_attempt_that_terminates_the_process_leaves_the_partition_as_after_a_death() {
        EnginePartition partition = timeline.partition(Lane.HOT);
        timeline.arrives(partition, 0, 0);

        timeline.leave(partition);
        timeline.attempt(0).item.partition().endsProcess();
        timeline.engine.drained(List.of(partition));

        assertThat(timeline.engine.snapshot(partition).clean()).isFalse();
    }

    @Test
    void an_item_that_is_read_again_waits_for_its_attempt_from_before_the_loss_of_the_partition() {
        EnginePartition lost = timeline.partition(Lane.HOT);
        timeline.arrives(lost, 0, 0);
        timeline.arrives(lost, 1, 0);
        EngineTimeline.Attempt before = timeline.attempt(0);
        timeline.effects();
        timeline.forget(lost);
        assertThat(timeline.effects()).containsExactly("abandon 0", "abandon 1");

        EnginePartition again = timeline.partition(Lane.HOT);
        timeline.arrives(again, 0, 0);
        assertThat(timeline.effects()).as("one process never runs two attempts of one item").isEmpty();

        timeline.ends(before, SUCCEEDED);
        assertThat(timeline.effects()).as("its result has no effect").containsExactly("start 0");
        timeline.ends(1, SUCCEEDED);
        assertThat(timeline.effects()).isEmpty();
        timeline.arrives(again, 1, 0);
        assertThat(timeline.effects()).containsExactly("start 1");
    }

    @Test
    void an_item_behind_an_abandoned_attempt_is_removed_when_its_partition_is_lost_again() {
        EnginePartition lost = timeline.partition(Lane.HOT);
        timeline.arrives(lost, 0, 0);
        EngineTimeline.Attempt before = timeline.attempt(0);
        timeline.forget(lost);
        EnginePartition again = timeline.partition(Lane.HOT);
        timeline.arrives(again, 0, 0);
        timeline.forget(again);
        timeline.effects();

        timeline.ends(before, SUCCEEDED);

        assertThat(timeline.effects()).isEmpty();
        assertThat(timeline.engine.attempts()).isEmpty();
    }
}
