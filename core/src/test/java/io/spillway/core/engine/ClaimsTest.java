package io.spillway.core.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.item.Lane;
import io.spillway.core.policy.PolicyField;
import io.spillway.core.progress.ProgressState;
import io.spillway.handler.Outcome;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ClaimsTest {
    private final EngineTimeline timeline = new EngineTimeline(4);
    private final EnginePartition hot = timeline.partition(Lane.HOT);

    @Test
    void an_attempt_is_claimed_when_it_has_run_for_five_seconds() {
        timeline.arrives(hot, 0, 0);
        timeline.nowMillis += 4_999;
        timeline.claimLong();
        assertThat(timeline.effects()).containsExactly("start 0");
        timeline.nowMillis++;
        timeline.claimLong();
        assertThat(timeline.effects()).containsExactly("claim 0");
        timeline.claimLong();
        assertThat(timeline.effects()).isEmpty();
    }

    @Test
    void a_claimed_item_is_finished_in_its_partition_and_its_attempt_keeps_its_slot() {
        claim();
        assertThat(timeline.commit(hot).unfinished().size()).isZero();
        assertThat(hot.unfinished()).isZero();
        assertThat(timeline.engine.attempts()).hasSize(1);
    }

    @Test
    void the_end_of_a_claimed_attempt_is_told_to_the_delay_lane() {
        claim();
        timeline.ends(0, Outcome.done());
        assertThat(timeline.effects()).containsExactly("settle 0 Done");
        claim();
        timeline.ends(1, Outcome.retry("no"));
        assertThat(timeline.effects()).containsExactly("settle 1 Delay");
        claim();
        timeline.ends(2, new Outcome.Interrupted());
        assertThat(timeline.effects()).containsExactly("settle 2 GiveBack");
    }

    @Test
    void a_claim_that_holds_outlives_its_partition_and_one_that_is_not_committed_ends_with_it() {
        claim();
        timeline.attempt(0).claimHeld();
        claim();
        timeline.leave(hot);
        timeline.forget(hot);
        assertThat(timeline.effects()).containsExactly("abandon 1");
        timeline.ends(0, Outcome.done());
        assertThat(timeline.effects()).containsExactly("settle 0 Done");
    }

    @Test
    void attempts_of_a_partition_that_leaves_are_claimed_at_any_age_and_those_of_others_are_not() {
        EnginePartition aged = timeline.partition(Lane.AGED);
        timeline.arrives(hot, 0, 0);
        timeline.arrives(aged, 1, 0);
        timeline.leave(hot);
        timeline.effects();
        timeline.claimLeaving();
        assertThat(timeline.effects()).containsExactly("claim 0");
    }

    @Test
    void an_attempt_whose_lease_has_ended_is_not_claimed() {
        timeline.arrives(hot, 0, 0);
        timeline.attempt(0).leaseEnded(timeline.nowNanos());
        timeline.nowMillis += 10_000;
        timeline.effects();
        timeline.claimLong();
        assertThat(timeline.effects()).isEmpty();
    }

    @Test
    void an_item_that_started_before_its_commit_is_claimed_when_it_is_confirmed() {
        timeline.startsEarly(hot, 3, "acme");
        timeline.nowMillis += 6_000;
        timeline.claimLong();
        assertThat(timeline.effects()).containsExactly("start -3");
        timeline.arrives(hot, 3, 0);
        timeline.claimLong();
        assertThat(timeline.effects()).containsExactly("claim 3");
    }

    @Test
    void an_item_with_a_long_lease_does_not_start_before_its_commit() {
        timeline.set(PolicyField.TIMEOUT, "31s");
        timeline.startsEarly(hot, 3, "acme");
        assertThat(timeline.effects()).isEmpty();
        timeline.set(PolicyField.TIMEOUT, "30s");
        timeline.startsEarly(hot, 3, "acme");
        assertThat(timeline.effects()).containsExactly("start -3");
    }

    @Test
    void a_claimed_attempt_that_never_returns_makes_its_item_a_dead_letter() {
        claim();
        timeline.attempt(0).leaseEnded(timeline.nowNanos());
        timeline.nowMillis += Duration.ofSeconds(120).toMillis();
        timeline.endOverdue();
        assertThat(timeline.effects()).containsExactly("settle 0 DeadLetter");
        timeline.ends(0, Outcome.done());
        assertThat(timeline.effects()).isEmpty();
    }

    @Test
    void a_suspect_is_not_claimed_because_its_partition_counts_the_deaths_with_it() {
        suspect("30s");
        timeline.nowMillis += 10_000;
        timeline.claimLong();
        assertThat(timeline.effects()).isEmpty();
    }

    @Test
    void a_suspect_with_a_long_lease_waits_until_a_lost_worker_has_certainly_stopped() {
        assertThat(suspect("31s")).containsExactly("move 0 to delay: lost, moves 0, due at 31000");
        assertThat(new ClaimsTest().suspect("30s")).containsExactly("commit wanted", "start 0");
    }

    @Test
    void an_item_with_which_two_workers_were_lost_is_a_suspect() {
        timeline.arrives(new EngineTimeline.Item(hot, 0, EngineTimeline.LOST, 0, 0, timeline.nowMillis));
        assertThat(timeline.effects()).containsExactly("commit wanted");
        assertThat(timeline.engine.suspects()).isEqualTo(1);
        timeline.commit(hot);
        assertThat(timeline.effects()).containsExactly("start 0");
    }

    /** Claims the next item. */
    private void claim() {
        long offset = hot.nextOffset();
        timeline.arrives(hot, offset, 0);
        timeline.nowMillis += 5_000;
        timeline.effects();
        timeline.claimLong();
        assertThat(timeline.effects()).containsExactly("claim " + offset);
    }

    /** Takes over an item that may have been running. */
    private List<String> suspect(String timeout) {
        timeline.set(PolicyField.TIMEOUT, timeout);
        timeline.effects();
        EnginePartition taken = timeline.takeOver(Lane.OVERFLOW, new ProgressState(
                0, 0, 128, ProgressState.fresh(0).unfinished(), Optional.empty(), 0, false, false));
        timeline.commit(taken);
        timeline.arrives(taken, 0, 0);
        timeline.commit(taken);
        return timeline.effects();
    }
}
