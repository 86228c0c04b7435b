package io.spillway.core.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.item.Lane;
import io.spillway.core.progress.OffsetList;
import io.spillway.core.progress.ProgressState;
import io.spillway.core.progress.SuspectMark;
import io.spillway.handler.Outcome;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Suspects that run alone: after a conviction of their tenant, and when one ignores its interrupt. */
class EngineSuspectsTest {
    private static final Outcome SUCCEEDED = Outcome.done();
    private static final Outcome FAILED = Outcome.retry("no");

    private static final long DEAF_AFTER_MILLIS = EngineAttempt.DEAF_AFTER_NANOS / 1_000_000;
    private static final long STUCK_AFTER_MILLIS = EngineAttempt.STUCK_AFTER_NANOS / 1_000_000;

    private final EngineTimeline timeline = new EngineTimeline(10);

    /** Takes over offsets 0 to 4, all suspects, the first with three deaths; then 5 and more are new. */
    private EnginePartition takeOverWithAKiller() {
        return timeline.takeOver(Lane.HOT, new ProgressState(
                0, 5, 5, OffsetList.of(0, 1, 2, 3, 4), Optional.of(new SuspectMark(0, 2)), 0, false, true));
    }

    /** Takes over offsets 0 to 4, the group with which a worker died. */
    private EnginePartition takeOver() {
        return timeline.takeOver(Lane.HOT, new ProgressState(
                0, 5, 5, OffsetList.of(0, 1, 2, 3, 4), Optional.empty(), 5, false, true));
    }

    /** Takes over the group, of which the first runs alone and ignores its interrupt. */
    private EnginePartition takeOverWithADeafSuspect() {
        EnginePartition partition = takeOver();
        arrive(partition, "acme");
        timeline.commit(partition);
        timeline.attempt(0).leaseEnded(timeline.nowNanos());
        timeline.nowMillis += DEAF_AFTER_MILLIS;
        timeline.fill();
        timeline.effects();
        return partition;
    }

    private void arrive(EnginePartition partition, String... tenants) {
        for (int offset = 0; offset < tenants.length; offset++) {
            timeline.receives(new EngineTimeline.Item(partition, offset, tenants[offset], 0, 0, timeline.nowMillis));
        }
        timeline.fill();
    }

    @Test
    void after_a_conviction_the_tenants_next_suspect_runs_without_any_other_item_of_the_tenant() {
        EnginePartition partition = takeOverWithAKiller();
        arrive(partition, "acme", "acme", "acme", "bolt", "bolt", "acme", "bolt");
        timeline.effects();

        assertThat(timeline.commit(partition).mark()).contains(new SuspectMark(1, 1, true));
        assertThat(timeline.effects()).as("new items of others start").containsExactly("start 1 alone", "start 6");

        timeline.ends(1, SUCCEEDED);
        assertThat(timeline.effects()).as("innocent").containsExactly("done 1", "commit wanted", "start 5");
        assertThat(timeline.commit(partition).groupEnd()).isEqualTo(5);
    }

    @Test
    void a_failed_attempt_proves_innocence_as_well() {
        EnginePartition partition = takeOverWithAKiller();
        arrive(partition, "acme", "acme", "acme", "acme", "acme");
        timeline.commit(partition);

        timeline.ends(1, FAILED);

        assertThat(timeline.commit(partition).groupEnd()).isEqualTo(5);
    }

    @Test
    void the_suspects_of_another_tenant_are_not_suspected_more_after_a_conviction() {
        EnginePartition partition = takeOverWithAKiller();
        arrive(partition, "acme", "bolt", "bolt", "bolt", "bolt");

        assertThat(timeline.commit(partition).groupEnd()).isEqualTo(5);
    }

    @Test
    void a_suspect_is_not_isolated_while_an_item_of_its_tenant_runs() {
        EnginePartition other = timeline.takeOver(Lane.OVERFLOW, ProgressState.fresh(0));
        timeline.commit(other);
        timeline.arrives(new EngineTimeline.Item(other, 0, "acme", 0, 0, timeline.nowMillis));
        EnginePartition partition = takeOverWithAKiller();
        arrive(partition, "acme", "acme", "acme", "acme", "acme");

        assertThat(timeline.commit(partition).mark()).contains(new SuspectMark(1, 1, false));
    }

    @Test
    void a_conviction_is_old_after_ten_minutes() {
        EnginePartition partition = takeOverWithAKiller();
        arrive(partition, "acme");
        timeline.commit(partition);
        timeline.nowMillis += Convictions.CONVICTED_MILLIS;
        timeline.arrives(partition, 1, 0);

        assertThat(timeline.commit(partition).groupEnd()).isEqualTo(2);
    }

    @Test
    void a_death_in_isolation_convicts_and_says_so() {
        EnginePartition partition = timeline.takeOver(Lane.HOT, new ProgressState(
                0, 2, 5, OffsetList.of(0, 1), Optional.of(new SuspectMark(1, 0, true)), 0, false, true));
        arrive(partition, "acme", "acme");

        assertThat(timeline.effects()).containsExactly(
                "dead-letter 1: killed-worker, 1 worker died with it alone, after others with another item of its"
                        + " tenant, attempts 1",
                "commit wanted");
        assertThat(timeline.commit(partition).mark()).as("the chain goes on").contains(new SuspectMark(0, 1, true));
    }

    @Test
    void an_isolated_suspect_that_was_stopped_is_not_convicted_by_the_next_owner() {
        EnginePartition partition = timeline.takeOver(Lane.HOT, new ProgressState(
                0, 2, 5, OffsetList.of(0, 1), Optional.of(new SuspectMark(0, 2)), 0, false, true));
        arrive(partition, "acme", "acme");
        timeline.commit(partition);
        timeline.leave(partition);
        timeline.ends(1, new Outcome.Interrupted());
        timeline.engine.drained(List.of(partition));
        ProgressState last = timeline.commit(partition);
        EngineTimeline next = new EngineTimeline(10);

        EnginePartition again = next.takeOver(Lane.HOT, last);
        next.arrives(again, 1, 0);

        assertThat(last.mark()).isEmpty();
        assertThat(next.commit(again).groupEnd()).isEqualTo(2);
        next.fill();
        assertThat(next.effects()).containsExactly("commit wanted", "start 1");
    }

    @Test
    void a_suspect_that_ignores_its_interrupt_does_not_block_those_of_other_tenants() {
        EnginePartition partition = takeOver();
        arrive(partition, "acme", "acme", "bolt", "acme", "bolt");
        timeline.commit(partition);
        timeline.attempt(0).leaseEnded(timeline.nowNanos());
        timeline.effects();

        timeline.nowMillis += DEAF_AFTER_MILLIS - 1;
        timeline.fill();
        assertThat(timeline.effects()).as("it may still return").isEmpty();
        timeline.nowMillis += 1;
        timeline.fill();
        timeline.commit(partition);
        assertThat(timeline.effects()).containsExactly("commit wanted", "start 2 alone");
        timeline.ends(2, SUCCEEDED);
        timeline.commit(partition);
        timeline.ends(4, SUCCEEDED);
        timeline.commit(partition);
        assertThat(timeline.effects()).as("the tenant's own wait behind it")
                .containsExactly("done 2", "commit wanted", "start 4 alone", "done 4");
        assertThat(timeline.engine.suspects()).isEqualTo(3);

        timeline.ends(0, SUCCEEDED);
        timeline.commit(partition);
        assertThat(timeline.effects()).containsExactly("done 0", "commit wanted", "start 1 alone");
        assertThat(timeline.engine.suspects()).isEqualTo(2);
    }

    @Test
    void a_member_of_a_group_that_ignores_its_interrupt_does_not_block_those_that_must_run_alone() {
        EnginePartition grouped = timeline.takeOver(Lane.HOT, new ProgressState(
                0, 1, 5, OffsetList.of(0), Optional.empty(), 0, false, true));
        timeline.receives(new EngineTimeline.Item(grouped, 0, "acme", 0, 0, timeline.nowMillis));
        timeline.fill();
        timeline.commit(grouped);
        timeline.fill();
        EnginePartition accused = timeline.takeOver(Lane.OVERFLOW, new ProgressState(
                7, 8, 9, OffsetList.of(7), Optional.empty(), 8, false, true));
        timeline.receives(new EngineTimeline.Item(accused, 7, "bolt", 0, 0, timeline.nowMillis));
        timeline.fill();
        timeline.commit(accused);
        assertThat(timeline.effects()).as("while another suspect runs").containsExactly("commit wanted", "start 0");

        timeline.attempt(0).leaseEnded(timeline.nowNanos());
        timeline.nowMillis += DEAF_AFTER_MILLIS;
        timeline.fill();
        assertThat(timeline.commit(accused).mark()).contains(new SuspectMark(7, 1));
        assertThat(timeline.effects()).contains("start 7 alone");
        assertThat(timeline.commit(grouped).mark()).isEmpty();
    }

    @Test
    void a_member_of_a_group_that_has_no_slot_does_not_block_one_that_must_run_alone_and_starts_after_it() {
        EngineTimeline one = new EngineTimeline(1);
        EnginePartition ordinary = one.partition(Lane.HOT);
        one.arrives(ordinary, 0, 0);
        EnginePartition grouped = one.takeOver(Lane.HOT, new ProgressState(
                20, 21, 25, OffsetList.of(20), Optional.empty(), 0, false, true));
        one.arrives(grouped, 20, 0);
        one.commit(grouped);
        one.fill();
        EnginePartition accused = one.takeOver(Lane.OVERFLOW, new ProgressState(
                7, 8, 9, OffsetList.of(7), Optional.empty(), 8, false, true));
        one.arrives(accused, 7, 0);
        one.effects();

        one.commit(accused);
        assertThat(one.effects()).containsExactly("start 7 alone");
        one.ends(0, SUCCEEDED);
        assertThat(one.effects()).as("not beside it").containsExactly("done 0");
        one.ends(7, SUCCEEDED);
        one.commit(grouped);
        one.fill();
        assertThat(one.effects()).contains("start 20");
    }

    @Test
    void suspects_that_arrive_behind_a_deaf_one_of_their_tenant_wait_for_its_end() {
        EnginePartition partition = takeOverWithADeafSuspect();

        timeline.arrives(partition, 1, 0);
        timeline.commit(partition);
        assertThat(timeline.effects()).isEmpty();

        timeline.ends(0, FAILED);
        timeline.commit(partition);
        assertThat(timeline.effects()).contains("start 1 alone");
    }

    @Test
    void a_suspect_that_goes_on_after_the_loss_of_its_partition_delays_those_of_others_for_a_second() {
        EnginePartition lost = timeline.takeOver(Lane.HOT, new ProgressState(
                0, 1, 5, OffsetList.of(0), Optional.of(new SuspectMark(0, 1)), 0, false, true));
        timeline.arrives(lost, 0, 0);
        timeline.commit(lost);
        assertThat(timeline.effects()).contains("start 0 alone");
        timeline.forget(lost);
        EnginePartition other = timeline.takeOver(Lane.HOT, new ProgressState(
                1, 2, 5, OffsetList.of(1), Optional.of(new SuspectMark(1, 1)), 0, false, true));
        timeline.arrives(new EngineTimeline.Item(other, 1, "bolt", 0, 0, timeline.nowMillis));
        timeline.commit(other);
        assertThat(timeline.effects()).doesNotContain("start 1 alone");

        timeline.nowMillis += DEAF_AFTER_MILLIS;
        timeline.fill();
        timeline.commit(other);
        assertThat(timeline.effects()).contains("start 1 alone");
    }

    @Test
    void a_suspect_with_which_a_worker_died_is_not_moved_by_its_age_because_its_deaths_would_be_forgotten() {
        EnginePartition counted = timeline.takeOver(Lane.HOT, new ProgressState(
                0, 2, 5, OffsetList.of(0, 1), Optional.of(new SuspectMark(0, 1)), 0, false, true));
        timeline.arrives(counted, 0, 60_000);
        timeline.arrives(counted, 1, 60_000);

        assertThat(timeline.commit(counted).mark()).contains(new SuspectMark(0, 2));
        assertThat(timeline.effects()).containsExactly("commit wanted", "start 0 alone");
        timeline.ends(0, SUCCEEDED);
        assertThat(timeline.effects()).as("of the other nobody knows anything")
                .containsExactly("done 0", "move 1 to aged: age, moves 1");
    }

    @Test
    void a_suspect_that_never_returns_is_given_up_and_the_others_of_its_tenant_run() {
        EnginePartition partition = takeOverWithADeafSuspect();

        timeline.nowMillis += STUCK_AFTER_MILLIS - DEAF_AFTER_MILLIS;
        timeline.arrives(partition, 1, 0);
        timeline.makeRoom();
        timeline.fill();
        timeline.commit(partition);
        assertThat(timeline.effects()).containsExactly(
                "dead-letter 0: stuck, the handler had not returned 120 s after its interrupt, attempts 1",
                "commit wanted", "start 1 alone");
    }
}
