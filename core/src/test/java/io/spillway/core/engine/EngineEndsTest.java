package io.spillway.core.engine;

import static io.spillway.core.engine.EngineTimeline.START_MILLIS;
import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.item.Lane;
import io.spillway.core.policy.PolicyField;
import io.spillway.handler.Outcome;
import java.time.Duration;
import java.util.Locale;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Items that end by time, in the worker, on a set timeline. */
class EngineEndsTest {
    private static final String RETRY_TIME_OVER =
            ": retry-time-over, still failing 30s after it was enqueued or replayed (retryFor)";
    private static final String EXPIRED =
            ": expired, no attempt within 40s after it was enqueued or replayed (expireAfter)";

    private static final String UNATTEMPTED =
            ": retry-time-over, never attempted: all attempts of its tenant failed for 30s (retryFor)";

    private final EngineTimeline one = new EngineTimeline(1);

    @BeforeEach
    void set_limits() {
        one.set(PolicyField.RETRY_FOR, "30s");
        one.set(PolicyField.EXPIRE_AFTER, "40s");
        one.set(PolicyField.AGED_AFTER, "none");
    }

    @ParameterizedTest(name = "in {0} after {2} ms and {1} attempts, with the clock {3} ms ahead: {4}")
    @CsvSource({
        "hot,      1, 30000, 0,     retry-time-over",
        "overflow, 1, 30000, 0,     retry-time-over",
        "aged,     1, 30000, 0,     retry-time-over",
        "overflow, 1, 29999, 0,     start",
        "overflow, 0, 39999, 0,     start",
        "hot,      0, 40000, 0,     expired",
        "overflow, 0, 40000, 0,     expired",
        "aged,     0, 40000, 0,     expired",
        "aged,     0, 60001, 0,     drop",
        "overflow, 0, 40000, 10000, start",
        "overflow, 0, 50000, 10000, expired",
        "overflow, 1, 39999, 10000, start",
    })
    void an_item_that_arrives_after_its_end_is_not_started(
            String lane, int attempts, long ageMillis, long aheadMillis, String expected) {
        one.clockAheadMillis = aheadMillis;
        EnginePartition partition = one.partition(Lane.valueOf(lane.toUpperCase(Locale.ROOT)));

        one.arrives(new EngineTimeline.Item(partition, 0, "acme", attempts, 0, START_MILLIS - ageMillis));

        assertThat(one.effects().getLast()).isEqualTo(switch (expected) {
            case "retry-time-over" -> "end 0" + RETRY_TIME_OVER;
            case "expired" -> "end 0" + EXPIRED;
            case "drop" -> "drop 0: ttl";
            default -> "start 0";
        });
        assertThat(partition.unfinished()).isEqualTo(expected.equals("start") ? 1 : 0);
    }

    @Test
    void an_item_that_never_gets_a_slot_ends_at_its_time() {
        EnginePartition partition = one.partition(Lane.OVERFLOW);
        one.arrives(partition, 0, 0);
        one.arrives(new EngineTimeline.Item(partition, 1, "acme", 0, 0, START_MILLIS));
        one.arrives(new EngineTimeline.Item(partition, 2, "globex", 2, 0, START_MILLIS));
        one.arrives(new EngineTimeline.Item(partition, 3, "globex", 0, 0, START_MILLIS + 1));
        one.commit(partition);
        assertThat(one.effects()).containsExactly("start 0");

        passUntil(29_999);
        assertThat(one.effects()).isEmpty();
        assertThat(one.engine.waiting(Lane.OVERFLOW)).isEqualTo(3);

        passUntil(30_000);
        assertThat(one.effects()).containsExactly("end 2" + RETRY_TIME_OVER);
        assertThat(partition.isDirty()).as("the end is in the next commit").isTrue();

        passUntil(40_000);
        assertThat(one.effects()).containsExactly("end 1" + EXPIRED);
        passUntil(40_001);
        assertThat(one.effects()).containsExactly("end 3" + EXPIRED);
        assertThat(one.engine.waiting(Lane.OVERFLOW)).isZero();
        assertThat(partition.unfinished()).as("the running attempt goes on").isEqualTo(1);

        one.ends(0, Outcome.done());
        one.arrives(new EngineTimeline.Item(partition, 4, "globex", 0, 0, one.nowMillis));
        assertThat(one.effects()).as("the tenant starts as before").containsExactly("done 0", "start 4");
    }

    @Test
    void waiting_items_are_looked_at_every_ten_seconds_even_if_the_clock_goes_back() {
        EnginePartition partition = one.partition(Lane.OVERFLOW);
        one.makeRoom();
        LongStream.range(0, 3).forEach(offset ->
                one.arrives(new EngineTimeline.Item(partition, offset, "acme", 0, 0, START_MILLIS + 4 - offset)));
        one.effects();

        one.nowMillis = START_MILLIS + 40_002;
        one.makeRoom();
        assertThat(one.effects()).containsExactly("end 2" + EXPIRED);
        one.nowMillis += 9_999;
        one.makeRoom();
        assertThat(one.effects()).isEmpty();
        one.nowMillis -= 9_999 + 10_000;
        one.makeRoom();
        one.nowMillis += 10_001;
        one.makeRoom();
        assertThat(one.effects()).containsExactly("end 1" + EXPIRED);
    }

    @Test
    void the_ends_of_waiting_items_make_room_to_read() {
        EnginePartition partition = one.partition(Lane.AGED);
        for (long offset = 0; one.mayRead(partition); offset++) {
            one.arrives(partition, offset, 0);
            one.commit(partition);
        }
        passUntil(40_000);
        assertThat(one.engine.waiting(Lane.AGED)).isZero();
        assertThat(one.mayRead(partition)).isTrue();
    }

    @Test
    void a_step_of_the_clock_ends_no_waiting_item() {
        EnginePartition partition = one.partition(Lane.OVERFLOW);
        LongStream.range(0, 3).forEach(offset -> one.arrives(partition, offset, 0));
        one.effects();
        one.clockAheadMillis = 86_400_000;
        passUntil(86_400_000 + 39_999);
        assertThat(one.effects()).isEmpty();
        passUntil(86_400_000 + 40_000);
        assertThat(one.effects()).containsExactlyInAnyOrder("end 1" + EXPIRED, "end 2" + EXPIRED);
    }

    @Test
    void a_waiting_item_past_its_time_to_live_is_dropped_and_not_ended() {
        EnginePartition partition = one.partition(Lane.OVERFLOW);
        LongStream.range(0, 2).forEach(offset -> one.arrives(partition, offset, 0));
        one.effects();
        passUntil(60_001);
        assertThat(one.effects()).containsExactly("drop 1: ttl");
    }

    @ParameterizedTest(name = "in {0} after {1} ms, all failed for {2} ms, clock {3} ms ahead: {4}")
    @CsvSource({
        "hot,      30000, 30000, 0,     end",
        "overflow, 30000, 30000, 0,     end",
        "aged,     30000, 60000, 0,     end",
        "overflow, 29999, 60000, 0,     start",
        "overflow, 30000, 29999, 0,     start",
        "overflow, 39999, 40000, 10000, start",
        "overflow, 39999, 39999, 9999,  end",
        "overflow, 39999, 39998, 9999,  start",
    })
    void an_item_that_was_never_attempted_ends_when_all_attempts_of_its_tenant_failed_for_long(
            String lane, long ageMillis, long failedMillis, long aheadMillis, String expected) {
        failFor(one.partition(Lane.HOT), failedMillis);
        one.clockAheadMillis = aheadMillis;
        EnginePartition partition = one.partition(Lane.valueOf(lane.toUpperCase(Locale.ROOT)));

        one.arrives(new EngineTimeline.Item(partition, 9, "acme", 0, 0, one.nowMillis - ageMillis));
        assertThat(one.effects()).containsExactly(expected.equals("end") ? "end 9" + UNATTEMPTED : "start 9");
        assertThat(partition.unfinished()).isEqualTo(expected.equals("end") ? 0 : 1);
    }

    @Test
    void a_success_of_the_tenant_and_other_tenants_end_no_item_that_was_never_attempted() {
        EnginePartition partition = one.partition(Lane.OVERFLOW);
        failFor(partition, 30_000);
        one.arrives(new EngineTimeline.Item(partition, 7, "globex", 0, 0, one.nowMillis - 30_000));
        one.arrives(new EngineTimeline.Item(partition, 8, "acme", 0, 0, one.nowMillis - 1));
        one.ends(7, Outcome.done());
        one.ends(8, Outcome.done());
        one.arrives(new EngineTimeline.Item(partition, 9, "acme", 0, 0, one.nowMillis - 30_000));
        assertThat(one.effects()).containsExactly("start 7", "done 7", "start 8", "done 8", "start 9");
    }

    @Test
    void failures_of_one_subscription_end_no_delivery_of_another_that_was_never_attempted() {
        EnginePartition partition = one.partition(Lane.OVERFLOW);
        failFor(partition, "~a", 30_000);
        arrivesOld(partition, 7, "~c");
        one.ends(7, Outcome.done());
        arrivesOld(partition, 8, "");
        one.ends(8, Outcome.done());
        arrivesOld(partition, 9, "~a");
        assertThat(one.effects()).containsExactly("start 7", "done 7", "start 8", "done 8",
                "end 9" + UNATTEMPTED.replace("tenant", "subscription"));
    }

    @Test
    void items_that_wait_in_the_read_ahead_end_while_the_only_slot_is_taken() {
        EnginePartition partition = one.partition(Lane.AGED);
        failFor(partition, 20_000);
        one.arrives(partition, 7, 0);
        LongStream.range(8, 11).forEach(offset -> one.arrives(partition, offset, 0));
        one.effects();
        passUntil(50_000);
        assertThat(one.effects()).as("failures of 20 s only").isEmpty();
        one.ends(7, new Outcome.TimedOut(Duration.ofMillis(30_000)));
        assertThat(one.effects()).containsExactly(
                "retry 7: attempts 1, blame 92, due at 51000", "end 8" + UNATTEMPTED, "end 9" + UNATTEMPTED,
                "end 10" + UNATTEMPTED);
    }

    @Test
    void an_attempt_that_ignores_its_interrupt_for_two_minutes_ends_its_item_and_keeps_its_slot() {
        EngineTimeline timeline = new EngineTimeline(1);
        EnginePartition partition = timeline.partition(Lane.HOT);
        timeline.arrives(partition, 0, 0);
        timeline.attempt(0).leaseEnded(timeline.nowNanos());
        timeline.effects();

        passStuckTime(timeline, 0);
        timeline.endOverdue();
        timeline.arrives(partition, 1, 0);
        assertThat(timeline.effects()).as("once, and its slot is not free").containsExactly(
                "dead-letter 0: stuck, the handler had not returned 120 s after its interrupt, attempts 1");

        timeline.ends(0, Outcome.done());
        assertThat(timeline.effects()).as("it has returned after all").containsExactly("start 1");
    }

    @Test
    void an_item_that_is_read_again_while_its_earlier_attempt_never_returns_ends_two_minutes_after_the_loss() {
        EngineTimeline timeline = new EngineTimeline(1);
        EnginePartition lost = timeline.partition(Lane.HOT);
        timeline.arrives(lost, 0, 0);
        EngineTimeline.Attempt attempt = timeline.attempt(0);
        timeline.forget(lost);
        EnginePartition again = timeline.partition(Lane.HOT);
        timeline.nowMillis += 60_000;
        // Later than the loss: it does not count.
        attempt.leaseEnded(timeline.nowNanos());
        timeline.arrives(again, 0, 0);
        timeline.effects();

        passStuckTime(timeline, 60_000);
        assertThat(attempt.isGivenUp()).isTrue();
        assertThat(timeline.effects()).containsExactly(
                "dead-letter 0: stuck, the handler had not returned 120 s after its interrupt, attempts 1");

        timeline.ends(attempt, Outcome.done());
        assertThat(timeline.effects()).as("it has returned after all").isEmpty();
        assertThat(timeline.engine.snapshot(again).frontier()).isEqualTo(1);
    }

    /** Passes the rest of the time after which an attempt is stuck. A millisecond before, nothing happens. */
    private static void passStuckTime(EngineTimeline timeline, long passedMillis) {
        timeline.nowMillis += EngineAttempt.STUCK_AFTER_NANOS / 1_000_000 - passedMillis - 1;
        timeline.endOverdue();
        assertThat(timeline.effects()).isEmpty();
        timeline.nowMillis++;
        timeline.endOverdue();
    }

    /** Three items fail, over this time. */
    private void failFor(EnginePartition partition, long millis) {
        failFor(partition, "", millis);
    }

    private void failFor(EnginePartition partition, String workload, long millis) {
        for (int i = 0; i < 3; i++) {
            one.nowMillis = START_MILLIS + i * millis / 2;
            one.arrives(new EngineTimeline.Item(partition, i, "acme", workload, 0, 0, one.nowMillis));
            one.ends(i, Outcome.retry("down"));
        }
        one.nowMillis = START_MILLIS + millis;
        one.effects();
    }

    private void arrivesOld(EnginePartition partition, long offset, String workload) {
        one.arrives(new EngineTimeline.Item(partition, offset, "acme", workload, 0, 0, one.nowMillis - 30_000));
    }

    private void passUntil(long millis) {
        one.nowMillis = START_MILLIS + millis;
        one.endOverdue();
    }
}
