package io.spillway.router.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.streams.processor.api.MockProcessorContext;
import org.junit.jupiter.api.Test;

/** One stream thread on a clock that is set. */
class CommitRequesterTest {
    private static final Duration POLL = Duration.ofMillis(100);

    private final MockProcessorContext<byte[], byte[]> context = new MockProcessorContext<>();
    private final List<Long> waitedMicros = new ArrayList<>();
    private long nowNanos;
    private final CommitRequester requester = new CommitRequester(Duration.ofMillis(50), () -> nowNanos);

    @Test
    void a_thread_that_moved_nothing_waits_for_records_and_requests_no_commit() {
        poll();
        assertThat(waitedMicros).containsExactly(100_000L);
        assertThat(context.committed()).isFalse();
    }

    @Test
    void the_first_move_is_committed_without_waiting_for_records() {
        requester.moved(context, false);
        poll();
        assertThat(waitedMicros).containsExactly(0L);
        assertThat(context.committed()).isTrue();
    }

    @Test
    void a_thread_whose_task_was_lost_before_its_commit_waits_for_records() {
        requester.moved(context, false);
        requester.closed(new MockProcessorContext<>());
        poll();
        assertThat(waitedMicros).as("another task").containsExactly(0L);
        requester.closed(context);
        poll();
        assertThat(waitedMicros).endsWith(100_000L);
    }

    @Test
    void items_that_have_started_wait_for_the_interval_until_one_waits_for_the_commit() {
        commit(4);
        requester.moved(context, true);
        advance(10);
        poll();
        assertThat(waitedMicros).as("the rest of 50 ms").containsExactly(40_000L);

        commit(4);
        requester.moved(context, true);
        requester.moved(context, false);
        requester.moved(context, true);
        poll();
        assertThat(waitedMicros).as("as long as the last commit took").endsWith(4_000L);
    }

    @Test
    void after_a_commit_a_thread_is_idle_for_as_long_as_the_commit_took_before_the_next_one() {
        commit(4);
        advance(1);
        requester.moved(context, false);
        poll();
        assertThat(waitedMicros).as("a busy millisecond counts a tenth").containsExactly(3_900L);
        assertThat(context.committed()).isTrue();
    }

    @Test
    void a_thread_that_is_busy_commits_after_ten_times_the_cost_but_not_later_than_the_interval() {
        commit(4);
        requester.moved(context, false);
        advance(39);
        poll();
        assertThat(waitedMicros).containsExactly(100L);

        commit(400);
        requester.moved(context, false);
        advance(49);
        poll();
        assertThat(waitedMicros).endsWith(1_000L);
        assertThat(context.committed()).isTrue();
    }

    @Test
    void records_that_come_before_a_commit_is_due_are_processed_first() {
        commit(4);
        requester.moved(context, false);
        requester.poll(POLL, timeout -> {
            advance(1);
            return "records";
        });
        assertThat(context.committed()).isFalse();
        poll();
        assertThat(waitedMicros).containsExactly(3_000L);
        assertThat(context.committed()).isTrue();
    }

    @Test
    void the_moves_of_an_aborted_transaction_are_not_committed() {
        requester.moved(context, false);
        requester.aborted();
        poll();
        assertThat(waitedMicros).containsExactly(100_000L);
        assertThat(context.committed()).isFalse();
        assertThat(requester.commits()).isZero();
    }

    @Test
    void commits_that_moved_items_are_counted() {
        commit(4);
        assertThat(requester.commits()).isZero();
        requester.moved(context, false);
        commit(4);
        assertThat(requester.commits()).isEqualTo(1);
    }

    private void poll() {
        requester.poll(POLL, timeout -> {
            waitedMicros.add(timeout.toNanos() / 1_000);
            return nowNanos += timeout.toNanos();
        });
    }

    private void commit(long millis) {
        long startedNanos = nowNanos;
        advance(millis);
        requester.committed(startedNanos);
        context.resetCommit();
    }

    private void advance(long millis) {
        nowNanos += Duration.ofMillis(millis).toNanos();
    }
}
