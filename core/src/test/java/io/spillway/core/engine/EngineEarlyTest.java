package io.spillway.core.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.item.Lane;
import io.spillway.core.policy.PolicyField;
import io.spillway.core.progress.OffsetList;
import io.spillway.core.progress.ProgressState;
import io.spillway.handler.Outcome;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Items that start before the transaction which moves them to hot is committed. */
class EngineEarlyTest {
    private static final Outcome SUCCEEDED = Outcome.done();

    private final EngineTimeline timeline = new EngineTimeline(2);
    private final EnginePartition partition = timeline.partition(Lane.HOT);

    @Test
    void an_attempt_that_has_ended_before_the_commit_counts_when_the_committed_record_is_read() {
        timeline.startsEarly(partition, 7, "acme");
        timeline.ends(-7, SUCCEEDED);
        assertThat(timeline.effects()).containsExactly("start -7");

        timeline.arrives(partition, 7, 0);
        assertThat(timeline.effects()).containsExactly("done 7");
        assertThat(partition.unfinished()).isZero();
        assertThat(timeline.commit(partition).frontier()).isEqualTo(8);
    }

    @Test
    void an_attempt_that_goes_on_at_the_commit_is_that_of_the_committed_record() {
        timeline.startsEarly(partition, 7, "acme");
        timeline.arrives(partition, 7, 0);
        assertThat(timeline.effects()).as("no second attempt").containsExactly("start -7");
        assertThat(timeline.commit(partition).unfinished().contains(7)).as("a death would make it a suspect").isTrue();

        timeline.ends(timeline.attempt(-7), SUCCEEDED);
        assertThat(timeline.effects()).containsExactly("done 7");
    }

    @Test
    void what_follows_from_a_failure_is_written_with_the_committed_record() {
        timeline.startsEarly(partition, 7, "acme");
        timeline.ends(-7, Outcome.retry("down"));
        timeline.startsEarly(partition, 8, "bolt");
        timeline.ends(-8, Outcome.dead("no"));
        timeline.startsEarly(partition, 9, "cube");
        timeline.ends(-9, Outcome.later(Duration.ofSeconds(5)));
        assertThat(timeline.effects()).containsExactly("start -7", "start -8", "start -9");

        timeline.arrives(partition, 7, 0);
        timeline.arrives(partition, 8, 0);
        timeline.arrives(partition, 9, 0);
        assertThat(timeline.effects()).containsExactly("retry 7: attempts 1, blame 1000, due at 1000",
                "dead-letter 8: final-failure, no, attempts 1", "move 9 to delay: later, moves 0, due at 5000");
    }

    @Test
    void an_item_whose_transaction_was_aborted_leaves_no_trace_and_starts_again_when_it_comes_again() {
        timeline.startsEarly(partition, 7, "acme");
        timeline.ends(-7, SUCCEEDED);
        timeline.startsEarly(partition, 8, "bolt");
        timeline.effects();

        timeline.nowMillis += TimeUnit.NANOSECONDS.toMillis(EarlyItems.KEPT_NANOS) + 1;
        timeline.endOverdue();
        timeline.ends(-8, SUCCEEDED);
        assertThat(timeline.effects()).isEmpty();

        timeline.arrives(partition, 7, 0);
        assertThat(timeline.effects()).containsExactly("start 7");
    }

    @Test
    void while_an_item_waits_for_its_commit_for_too_long_no_more_items_of_its_partition_start_early() {
        timeline.startsEarly(partition, 7, "acme");
        timeline.ends(-7, SUCCEEDED);
        timeline.nowMillis += TimeUnit.NANOSECONDS.toMillis(EarlyItems.STALLED_NANOS) + 1;
        timeline.startsEarly(partition, 8, "bolt");
        assertThat(timeline.effects()).containsExactly("start -7");

        timeline.arrives(partition, 7, 0);
        timeline.startsEarly(partition, 8, "bolt");
        assertThat(timeline.effects()).containsExactly("done 7", "start -8");
    }

    @Test
    void an_item_that_is_read_again_after_its_partition_came_back_waits_for_its_early_attempt() {
        timeline.startsEarly(partition, 7, "acme");
        timeline.forget(partition);
        EnginePartition again = timeline.partition(Lane.HOT);
        timeline.arrives(again, 7, 0);
        assertThat(timeline.effects()).containsExactly("start -7", "abandon -7");

        timeline.ends(-7, SUCCEEDED);
        assertThat(timeline.effects()).containsExactly("start 7");
    }

    @Test
    void an_item_that_comes_again_to_the_same_partition_after_an_abort_needs_no_second_attempt() {
        timeline.startsEarly(partition, 7, "acme");
        timeline.ends(-7, SUCCEEDED);
        timeline.startsEarly(partition, 7, "acme");
        assertThat(timeline.effects()).containsExactly("start -7");
    }

    @Test
    void a_tenant_with_work_waiting_and_one_without_a_free_slot_wait_for_the_commit() {
        timeline.set(PolicyField.CONCURRENCY, "1");
        timeline.arrives(partition, 0, 0);
        timeline.arrives(partition, 1, 0);
        timeline.startsEarly(partition, 2, "acme");
        timeline.startsEarly(partition, 3, "bolt");
        timeline.startsEarly(partition, 4, "cube");
        assertThat(timeline.effects()).containsExactly("start 0", "start -3");
        assertThat(timeline.engine.waiting(Lane.HOT)).as("item 1 alone waits").isEqualTo(1);

        timeline.ends(0, SUCCEEDED);
        assertThat(timeline.effects()).containsExactly("done 0", "start 1");
    }

    @Test
    void a_tenant_at_its_cap_waits_for_the_commit_although_nothing_of_it_waits() {
        timeline.set(PolicyField.CONCURRENCY, "1");
        timeline.startsEarly(partition, 1, "acme");
        timeline.startsEarly(partition, 2, "acme");
        assertThat(timeline.effects()).containsExactly("start -1");
        assertThat(timeline.engine.waiting(Lane.HOT)).isZero();
    }

    @Test
    void only_fresh_items_of_hot_that_are_neither_old_nor_paused_nor_unreadable_start_early() {
        long nowMillis = timeline.nowMillis;
        timeline.startsEarly(new EngineTimeline.Item(partition, -1, "acme", 1, 0, nowMillis));
        timeline.startsEarly(new EngineTimeline.Item(partition, -2, "acme", 0, 1, nowMillis));
        timeline.startsEarly(new EngineTimeline.Item(partition, -3, "acme", 0, 0, nowMillis - 10_001));
        timeline.startsEarly(partition, 4, EngineTimeline.UNREADABLE);
        timeline.startsEarly(timeline.partition(Lane.OVERFLOW), 5, "acme");
        timeline.set(PolicyField.PAUSED, "true");
        timeline.startsEarly(partition, 6, "acme");
        assertThat(timeline.effects()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"pause", "sweep", "partition of its own"})
    void an_item_starts_early_although_a_view_has_changed_since_the_first_look_at_it(String change) {
        if (!change.equals("pause")) {
            timeline.changes.add(() -> { });
        }
        timeline.changes.add(() -> {
            switch (change) {
                case "pause" -> timeline.set(PolicyField.PAUSED, "true");
                case "sweep" -> timeline.sweptBeforeMillis = timeline.nowMillis + 1;
                default -> timeline.misplaced = "acme";
            }
        });
        timeline.startsEarly(partition, 7, "acme");
        timeline.startsEarly(partition, 8, "acme");
        assertThat(timeline.effects()).as("as if it had changed a moment later").containsExactly("start -7");

        timeline.ends(-7, SUCCEEDED);
        timeline.arrives(partition, 7, 0);
        assertThat(timeline.effects()).containsExactly("done 7");
        assertThat(timeline.engine.waiting(Lane.HOT)).isZero();
    }

    @Test
    void nothing_starts_early_before_the_first_commit_of_a_partition_and_while_there_are_suspects() {
        EnginePartition taken = timeline.takeOver(Lane.HOT, new ProgressState(
                0, 2, 2, OffsetList.of(0, 1), Optional.empty(), 0, false, false));
        timeline.startsEarly(taken, 7, "acme");
        timeline.commit(taken);
        timeline.startsEarly(taken, 8, "acme");
        assertThat(timeline.effects()).as("items that ran when a worker died were not read yet").isEmpty();

        timeline.receives(new EngineTimeline.Item(taken, 0, "acme", 0, 0, timeline.nowMillis));
        timeline.startsEarly(partition, 9, "bolt");
        assertThat(timeline.effects()).as("a suspect waits").isEmpty();
    }

    @Test
    void a_partition_that_will_be_revoked_starts_nothing_early_and_tells_how_many_are_not_confirmed() {
        timeline.startsEarly(partition, 7, "acme");
        assertThat(timeline.engine.stopEarly(partition)).isEqualTo(1);
        timeline.startsEarly(partition, 8, "bolt");
        timeline.ends(-7, SUCCEEDED);
        timeline.arrives(partition, 7, 0);
        assertThat(timeline.effects()).containsExactly("start -7", "done 7");
        assertThat(timeline.engine.stopEarly(partition)).isZero();
    }

    @Test
    void an_item_whose_attempt_was_interrupted_starts_again_with_its_committed_record() {
        timeline.startsEarly(partition, 7, "acme");
        timeline.ends(-7, new Outcome.Interrupted());
        timeline.arrives(partition, 7, 0);
        assertThat(timeline.effects()).containsExactly("start -7", "start 7");
    }

    @Test
    void the_end_of_an_item_that_was_not_confirmed_before_its_partition_left_has_no_effect() {
        timeline.startsEarly(partition, 7, "acme");
        timeline.leave(partition);
        timeline.ends(-7, SUCCEEDED);
        assertThat(timeline.effects()).containsExactly("start -7");
    }

    @Test
    void early_items_take_room_of_the_read_ahead_until_they_end_or_are_forgotten() {
        EngineTimeline many = new EngineTimeline(1_000);
        EnginePartition read = many.partition(Lane.HOT);
        assertThat(startEarly(many, read, 1)).as("half of the read-ahead of 400 items").isEqualTo(200);
        many.ends(-1, SUCCEEDED);
        many.startsEarly(read, 451, "acme");
        assertThat(many.effects()).as("what has ended is kept").isEmpty();

        many.nowMillis += TimeUnit.NANOSECONDS.toMillis(EarlyItems.KEPT_NANOS) + 1;
        many.endOverdue();
        many.startsEarly(read, 452, "acme");
        assertThat(many.effects()).containsExactly("start -452");
    }

    @Test
    void the_times_until_no_more_start_and_until_one_is_forgotten_count_from_its_start() {
        timeline.nowMillis += 3_600_000;
        timeline.startsEarly(partition, 7, "acme");
        timeline.ends(-7, SUCCEEDED);
        timeline.nowMillis += TimeUnit.NANOSECONDS.toMillis(EarlyItems.STALLED_NANOS);
        timeline.startsEarly(partition, 8, "bolt");
        assertThat(timeline.effects()).containsExactly("start -7", "start -8");

        timeline.nowMillis += TimeUnit.NANOSECONDS.toMillis(EarlyItems.KEPT_NANOS - EarlyItems.STALLED_NANOS);
        timeline.endOverdue();
        timeline.arrives(partition, 7, 0);
        assertThat(timeline.effects()).as("it is still known").containsExactly("done 7");
    }

    @Test
    void early_items_that_are_forgotten_give_all_their_room_back() {
        EngineTimeline many = new EngineTimeline(1_000);
        EnginePartition read = many.partition(Lane.HOT);
        assertThat(startEarly(many, read, 1)).isEqualTo(200);
        many.nowMillis += TimeUnit.NANOSECONDS.toMillis(EarlyItems.KEPT_NANOS) + 1;
        many.endOverdue();
        assertThat(startEarly(many, read, 1_001)).isEqualTo(200);
    }

    @Test
    void early_items_whose_attempts_were_interrupted_give_their_room_back() {
        EngineTimeline many = new EngineTimeline(1_000);
        EnginePartition read = many.partition(Lane.HOT);
        assertThat(startEarly(many, read, 1)).isEqualTo(200);
        for (long offset = 1; offset <= 200; offset++) {
            many.ends(-offset, new Outcome.Interrupted());
        }
        assertThat(startEarly(many, read, 1_001)).isEqualTo(200);
    }

    @Test
    void items_that_are_done_give_their_room_back() {
        EngineTimeline many = new EngineTimeline(1_000);
        EnginePartition read = many.partition(Lane.HOT);
        for (int offset = 0; offset < 100; offset++) {
            many.arrives(read, offset, 0);
            many.ends(offset, SUCCEEDED);
        }
        many.effects();
        assertThat(startEarly(many, read, 1_001)).isEqualTo(200);
    }

    /** Offers 450 items, more than there is room for, and returns how many have started. */
    private static int startEarly(EngineTimeline many, EnginePartition read, int first) {
        many.effects();
        for (int offset = first; offset < first + 450; offset++) {
            many.startsEarly(read, offset, "acme");
        }
        return many.effects().size();
    }
}
