package io.spillway.core.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.item.Lane;
import io.spillway.core.policy.PolicyField;
import io.spillway.core.progress.OffsetList;
import io.spillway.core.progress.ProgressState;
import io.spillway.core.progress.SuspectMark;
import io.spillway.handler.Outcome;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Places where suspects wait: what makes a commit due, what a revocation removes, and what counts as waiting. */
class QuarantineTest {
    private static final Outcome INTERRUPTED = new Outcome.Interrupted();
    private static final Outcome SUCCEEDED = Outcome.done();
    private static final long DEAF_AFTER_MILLIS = EngineAttempt.DEAF_AFTER_NANOS / 1_000_000;

    private final EngineTimeline timeline = new EngineTimeline(10);

    /** Takes over offsets from 0 on, all suspects. */
    private static EnginePartition takeOver(
            EngineTimeline timeline, int suspects, Optional<SuspectMark> mark, long groupEnd) {
        return timeline.takeOver(Lane.HOT, new ProgressState(0, suspects, suspects,
                OffsetList.of(LongStream.range(0, suspects).toArray()), mark, groupEnd, false, true));
    }

    private static void arrive(EngineTimeline timeline, EnginePartition partition, String... tenants) {
        for (int offset = 0; offset < tenants.length; offset++) {
            timeline.receives(new EngineTimeline.Item(
                    partition, offset, tenants[offset], 0, 0, timeline.nowMillis - 100 + offset));
        }
        timeline.fill();
    }

    private static String[] tenants(int count, String tenant) {
        String[] all = new String[count];
        Arrays.fill(all, tenant);
        return all;
    }

    @Test
    void a_mark_of_one_suspect_and_one_of_a_group_make_a_commit_due() {
        EnginePartition alone = takeOver(timeline, 1, Optional.empty(), 1);
        timeline.commit(alone);
        assertThat(alone.isDirty()).isFalse();
        arrive(timeline, alone, "acme");
        assertThat(alone.isDirty()).isTrue();

        EngineTimeline other = new EngineTimeline(10);
        EnginePartition group = takeOver(other, 2, Optional.empty(), 0);
        other.commit(group);
        arrive(other, group, "acme", "acme");
        assertThat(group.isDirty()).isTrue();
    }

    @Test
    void the_others_know_of_a_conviction_before_the_next_suspect_is_marked() {
        timeline.follow(0, 0);
        EnginePartition first = takeOver(timeline, 2, Optional.empty(), 2);
        arrive(timeline, first, "acme", "acme");
        timeline.nowMillis += SuspectTurn.SETTLE_MILLIS;
        timeline.fill();
        timeline.commit(first);
        EnginePartition second = takeOver(timeline, 1, Optional.of(new SuspectMark(0, 2)), 0);
        timeline.receives(new EngineTimeline.Item(second, 0, "bolt", 0, 0, timeline.nowMillis));
        timeline.effects();

        timeline.ends(0, SUCCEEDED);
        assertThat(timeline.effects()).hasSize(2).contains("done 0").anyMatch(it -> it.startsWith("dead-letter 0"));
        timeline.fill();
        assertThat(timeline.commit(first).mark()).isEmpty();

        assertThat(timeline.engine.suspectStatus(timeline.nowMillis).convictedAtMillis()).containsOnlyKeys("bolt");
        timeline.fill();
        assertThat(timeline.commit(first).mark()).contains(new SuspectMark(1, 1));
    }

    @Test
    void a_convicted_suspect_is_gone_in_the_turn_of_another_worker() {
        timeline.follow(timeline.nowMillis, timeline.nowMillis);
        EnginePartition partition = takeOver(timeline, 2, Optional.of(new SuspectMark(0, 2)), 0);
        arrive(timeline, partition, "acme", "acme");

        assertThat(timeline.engine.suspects()).as("the other one waits").isEqualTo(1);
    }

    @Test
    void a_member_of_a_group_goes_back_when_its_tenant_is_convicted_however_many_wait() {
        EngineTimeline one = new EngineTimeline(1);
        EnginePartition ordinary = one.partition(Lane.OVERFLOW);
        one.arrives(new EngineTimeline.Item(ordinary, 0, "bolt", 0, 0, one.nowMillis));
        one.follow(one.nowMillis, one.nowMillis);
        EnginePartition partition = takeOver(one, 40, Optional.empty(), 0);
        arrive(one, partition, tenants(40, "acme"));
        one.commit(partition);
        one.effects();

        one.follow(one.nowMillis, one.nowMillis, "acme");
        one.ends(one.attempt(0), SUCCEEDED);
        assertThat(one.effects()).as("in delay the deaths would be forgotten")
                .noneMatch(effect -> effect.startsWith("move"));
        assertThat(one.engine.suspects()).isEqualTo(40);
    }

    @Test
    void suspects_of_other_tenants_do_not_send_an_item_of_a_convicted_one_to_delay() {
        timeline.follow(timeline.nowMillis, timeline.nowMillis, "acme");
        EnginePartition partition = takeOver(timeline, SuspectTurn.OLDEST, Optional.empty(), 0);
        arrive(timeline, partition, tenants(SuspectTurn.OLDEST, "bolt"));
        EnginePartition other = timeline.partition(Lane.OVERFLOW);
        timeline.effects();

        timeline.arrives(new EngineTimeline.Item(other, 0, "acme", 0, 0, timeline.nowMillis));
        assertThat(timeline.effects()).isEmpty();
        assertThat(timeline.engine.suspects()).isEqualTo(SuspectTurn.OLDEST + 1);
    }

    @Test
    void interrupted_members_of_a_group_leave_no_mark_to_the_next_owner() {
        EnginePartition partition = takeOver(timeline, 2, Optional.empty(), 0);
        arrive(timeline, partition, "acme", "acme");
        timeline.commit(partition);
        timeline.leave(partition);
        timeline.ends(0, INTERRUPTED);
        timeline.ends(1, INTERRUPTED);
        timeline.engine.drained(List.of(partition));

        assertThat(partition.isDirty()).isTrue();
        assertThat(timeline.engine.suspects()).isZero();
        ProgressState last = timeline.commit(partition);
        assertThat(last.groupEnd()).isZero();
        assertThat(last.clean()).isTrue();
    }

    @Test
    void a_revocation_removes_the_suspects_of_its_partitions_wherever_they_wait_and_no_others() {
        EngineTimeline turns = new EngineTimeline(10);
        turns.follow(turns.nowMillis, turns.nowMillis);
        EnginePartition revoked = takeOver(turns, 3, Optional.of(new SuspectMark(0, 1)), 2);
        EnginePartition kept = takeOver(turns, 3, Optional.of(new SuspectMark(0, 1)), 2);
        arrive(turns, revoked, "acme", "acme", "acme");
        arrive(turns, kept, "bolt", "bolt", "bolt");
        assertThat(turns.engine.suspects()).isEqualTo(6);

        turns.leave(revoked);
        assertThat(turns.engine.suspects()).isEqualTo(3);
        assertThat(turns.engine.waitingSinceMillis().get(Lane.HOT)).containsOnlyKeys("bolt");
    }

    @Test
    void a_revocation_removes_the_members_of_a_group_that_wait_for_a_commit_though_another_member_runs() {
        EnginePartition partition = takeOver(timeline, 40, Optional.empty(), 0);
        arrive(timeline, partition, tenants(40, "acme"));
        timeline.commit(partition);
        for (int offset = 0; offset < 9; offset++) {
            timeline.ends(offset, SUCCEEDED);
        }
        assertThat(timeline.engine.waitingSinceMillis()).isNotEmpty();

        timeline.leave(partition);
        assertThat(timeline.engine.attempts()).isNotEmpty();
        assertThat(timeline.engine.waitingSinceMillis()).isEmpty();
        assertThat(timeline.engine.suspects()).isEqualTo(timeline.engine.attempts().size());
    }

    @Test
    void a_revocation_removes_a_mark_that_no_commit_has_recorded_and_the_next_suspect_has_its_turn() {
        EnginePartition revoked = takeOver(timeline, 1, Optional.empty(), 1);
        arrive(timeline, revoked, "acme");
        EnginePartition kept = takeOver(timeline, 1, Optional.empty(), 1);
        arrive(timeline, kept, "bolt");
        assertThat(timeline.commit(kept).mark()).as("while the other one is marked")
                .isEmpty();

        timeline.leave(revoked);
        assertThat(timeline.engine.suspects()).isEqualTo(1);
        timeline.fill();
        assertThat(timeline.commit(kept).mark()).contains(new SuspectMark(0, 1));
    }

    @Test
    void a_revocation_removes_those_that_wait_behind_a_deaf_suspect() {
        EnginePartition deaf = takeOver(timeline, 1, Optional.empty(), 1);
        arrive(timeline, deaf, "acme");
        timeline.commit(deaf);
        timeline.attempt(0).leaseEnded(timeline.nowNanos());
        timeline.nowMillis += DEAF_AFTER_MILLIS;
        timeline.fill();
        assertThat(deaf.isDirty()).as("its mark is to be removed").isTrue();
        EnginePartition revoked = takeOver(timeline, 1, Optional.empty(), 0);
        EnginePartition kept = takeOver(timeline, 1, Optional.empty(), 0);
        arrive(timeline, revoked, "acme");
        arrive(timeline, kept, "acme");
        assertThat(timeline.engine.suspects()).isEqualTo(3);
        assertThat(timeline.engine.waitingSinceMillis().get(Lane.HOT)).containsOnlyKeys("acme");

        timeline.leave(revoked);
        assertThat(timeline.engine.suspects()).isEqualTo(2);
    }

    @Test
    void the_others_of_the_tenant_of_a_deaf_suspect_wait_behind_it_and_join_no_group() {
        EnginePartition partition = takeOver(timeline, 3, Optional.of(new SuspectMark(0, 1)), 0);
        arrive(timeline, partition, "acme", "acme", "bolt");
        timeline.commit(partition);
        timeline.attempt(0).leaseEnded(timeline.nowNanos());
        timeline.nowMillis += DEAF_AFTER_MILLIS;
        timeline.effects();

        timeline.fill();
        timeline.commit(partition);
        assertThat(timeline.effects()).containsExactly("commit wanted", "start 2");
    }

    @Test
    void a_deaf_suspect_ends_the_conviction_of_its_tenant_because_the_worker_lives() {
        EnginePartition partition = takeOver(timeline, 2, Optional.of(new SuspectMark(0, 2)), 0);
        arrive(timeline, partition, "acme", "acme");
        timeline.commit(partition);
        timeline.attempt(1).leaseEnded(timeline.nowNanos());
        timeline.nowMillis += DEAF_AFTER_MILLIS;
        timeline.fill();
        EnginePartition other = timeline.partition(Lane.OVERFLOW);
        timeline.effects();

        timeline.arrives(new EngineTimeline.Item(other, 5, "acme", 0, 0, timeline.nowMillis));
        assertThat(timeline.effects()).containsExactly("start 5");
    }

    @Test
    void each_place_in_quarantine_counts_as_waiting() {
        timeline.set(PolicyField.AGED_AFTER, "none");
        timeline.set(PolicyField.TTL, "none");
        timeline.follow(timeline.nowMillis, timeline.nowMillis);
        EnginePartition accused = takeOver(timeline, 1, Optional.empty(), 1);
        arrive(timeline, accused, "accused");
        assertThat(timeline.engine.waitingSinceMillis().get(Lane.HOT)).containsOnlyKeys("accused");

        EnginePartition waiting = takeOver(timeline, 1, Optional.empty(), 0);
        arrive(timeline, waiting, "waiting");
        assertThat(timeline.engine.waitingSinceMillis().get(Lane.HOT)).containsOnlyKeys("accused", "waiting");
    }
}
