package io.spillway.core.engine;

import static io.spillway.core.engine.EngineTimeline.LOST;
import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.engine.EngineTimeline.Item;
import io.spillway.core.item.Lane;
import io.spillway.core.policy.PolicyField;
import io.spillway.core.retry.AttemptTimeouts;
import io.spillway.core.retry.TimeoutStats;
import io.spillway.handler.Outcome;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Calls with several items, of one slot. */
class EngineBatchTest {
    private final EngineTimeline one = new EngineTimeline(1, 3, 3);
    private final EnginePartition hot = one.partition(Lane.HOT);

    private void receive(long offset, int attempts) {
        one.receives(new Item(hot, offset, "acme", attempts, 0, one.nowMillis));
    }

    private void receiveAll(long from, long to) {
        for (long offset = from; offset <= to; offset++) {
            receive(offset, 0);
        }
        one.effects();
    }

    @Test
    void a_slot_takes_the_items_of_a_tenant_that_wait_up_to_the_most_of_a_call() {
        receiveAll(0, 3);
        one.fill();
        assertThat(one.effects()).containsExactly("start 0", "ride 1 with 0", "ride 2 with 0");
        assertThat(one.attempt(1).timeout).as("one call has one lease").isSameAs(one.attempt(0).timeout);
    }

    @Test
    void each_item_of_a_call_ends_with_its_own_outcome_and_the_slot_with_the_first_item() {
        receiveAll(0, 3);
        one.fill();
        one.effects();

        one.ends(2, Outcome.dead("no such account"));
        one.ends(1, Outcome.done());
        assertThat(one.effects()).containsExactly("dead-letter 2: final-failure, no such account, attempts 1", "done 1");
        one.ends(0, Outcome.later(Duration.ofSeconds(1)));
        assertThat(one.effects()).containsExactly("move 0 to delay: later, moves 0, due at 1000", "start 3");
        one.ends(3, Outcome.done());
        assertThat(one.engine.attempts()).isEmpty();
    }

    @Test
    void a_call_that_fails_as_one_counts_as_an_attempt_of_each_item_and_is_nobody_s_fault() {
        one.set(PolicyField.ATTEMPTS, "1");
        receiveAll(0, 2);
        one.fill();
        one.effects();
        for (long offset = 2; offset >= 0; offset--) {
            one.attempt(offset).isJudged = false;
            one.ends(offset, Outcome.retry("A call for 3 items failed"));
        }
        assertThat(one.effects()).allMatch(effect -> effect.contains("attempts 1, blame 0")).hasSize(3);
    }

    @Test
    void a_retry_goes_alone_and_takes_no_other_with_it() {
        receive(0, 0);
        receive(1, 1);
        receive(2, 0);
        one.fill();
        assertThat(one.effects()).containsExactly("start 0");
        one.ends(0, Outcome.done());
        assertThat(one.effects()).containsExactly("done 0", "start 1");
        one.ends(1, Outcome.done());
        assertThat(one.effects()).containsExactly("done 1", "start 2");
    }

    @ParameterizedTest(name = "after {0} ms of retryFor 1h: {1}")
    @CsvSource({"1799000, ride 1 with 0", "1800000, start 0"})
    void an_item_goes_alone_that_a_failed_call_could_leave_too_little_time(long ageMillis, String last) {
        one.set(PolicyField.AGED_AFTER, "none");
        one.set(PolicyField.TTL, "none");
        one.set(PolicyField.RETRY_FOR, "1h");
        for (int offset = 0; offset < 2; offset++) {
            one.receives(new Item(hot, offset, "acme", 0, 0, one.nowMillis - ageMillis));
        }
        one.effects();
        one.fill();
        assertThat(one.effects()).last().isEqualTo(last);
    }

    @Test
    void a_call_is_interrupted_for_all_its_items_and_those_of_other_partitions_are_tried_again() {
        EnginePartition other = one.partition(Lane.HOT);
        receive(0, 0);
        one.receives(new Item(other, 1, "acme", 0, 0, one.nowMillis));
        one.fill();
        one.effects();
        one.leave(other);
        for (long offset = 1; offset >= 0; offset--) {
            one.attempt(offset).isJudged = false;
            one.ends(offset, new Outcome.Interrupted());
        }
        assertThat(one.effects()).singleElement().asString().startsWith("retry 0: attempts 1, blame 0");
        assertThat(other.unfinished()).as("the next owner repeats it").isEqualTo(1);
    }

    @Test
    void suspects_go_alone() {
        one.receives(new Item(hot, 0, LOST, 0, 0, one.nowMillis));
        one.receives(new Item(hot, 1, LOST, 0, 0, one.nowMillis));
        one.effects();
        one.commit(hot);
        one.commit(hot);
        one.fill();
        assertThat(one.effects()).isNotEmpty().noneMatch(effect -> effect.startsWith("ride"));
    }

    @Test
    void one_timeout_of_a_call_is_one_timeout_and_it_is_busy_for_the_time_of_its_slot() {
        receiveAll(0, 2);
        one.fill();
        one.nowMillis += 1_000;
        assertThat(one.engine.busyNanos(one.nowNanos())).isEqualTo(Duration.ofSeconds(1).toNanos());
        for (long offset = 2; offset >= 0; offset--) {
            one.attempt(offset).isJudged = false;
            one.ends(offset, new Outcome.TimedOut(Duration.ofSeconds(1)));
        }
        TimeoutStats stats = one.engine.timeouts().stats(AttemptTimeouts.measuredAs("acme", "",
                one.attempt(0).policy), one.attempt(0).policy).orElseThrow();
        assertThat(stats.attempts()).isEqualTo(1);
        assertThat(List.of(stats.timedOut())).containsExactly(1L);
    }
}
