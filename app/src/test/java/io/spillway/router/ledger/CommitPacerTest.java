package io.spillway.router.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.streams.processor.api.MockProcessorContext;
import org.junit.jupiter.api.Test;

/** One stream thread on a clock that is set. */
class CommitPacerTest {
    private static final Duration POLL = Duration.ofMillis(100);

    private final MockProcessorContext<byte[], byte[]> context = new MockProcessorContext<>();
    private final List<Long> waitedMicros = new ArrayList<>();
    private long nowNanos;
    private final List<Long> restedMicros = new ArrayList<>();
    private final CommitPacer pacer = new CommitPacer(Duration.ofMillis(50), () -> nowNanos, nanos -> {
        restedMicros.add(nanos / 1_000);
        nowNanos += nanos;
    });

    @Test
    void a_thread_that_moved_nothing_waits_for_records_and_requests_no_commit() {
        poll();
        assertThat(waitedMicros).containsExactly(100_000L);
        assertThat(context.committed()).isFalse();
    }

    @Test
    void the_first_move_is_committed_without_waiting_for_records() {
        pacer.moved(context);
        poll();
        assertThat(waitedMicros).containsExactly(0L);
        assertThat(context.committed()).isTrue();
    }

    @Test
    void after_a_commit_a_thread_is_idle_for_as_long_as_the_commit_took_before_the_next_one() {
        commit(4);
        advance(1);
        pacer.moved(context);
        poll();
        assertThat(waitedMicros).as("a busy millisecond counts a tenth").containsExactly(3_900L);
        assertThat(context.committed()).isTrue();
    }

    @Test
    void a_thread_that_is_busy_commits_after_ten_times_the_cost_but_not_later_than_the_interval() {
        commit(4);
        pacer.moved(context);
        advance(39);
        poll();
        assertThat(waitedMicros).containsExactly(100L);

        commit(400);
        pacer.moved(context);
        advance(49);
        poll();
        assertThat(waitedMicros).endsWith(1_000L);
        assertThat(context.committed()).isTrue();
    }

    @Test
    void records_that_come_before_a_commit_is_due_are_processed_first() {
        commit(4);
        pacer.moved(context);
        pollThatBrings(101);
        assertThat(context.committed()).isFalse();
        poll();
        assertThat(waitedMicros).containsExactly(3_000L);
        assertThat(context.committed()).isTrue();
    }

    @Test
    void after_a_poll_that_brought_a_few_records_a_thread_rests() {
        pollThatBrings(3);
        advance(1);
        poll();
        assertThat(restedMicros).containsExactly(4_000L);
        poll();
        assertThat(restedMicros).as("nothing came").hasSize(1);

        pollThatBrings(100);
        advance(6);
        poll();
        assertThat(restedMicros).as("longer than the rest").hasSize(1);
    }

    @Test
    void a_thread_does_not_rest_when_polls_bring_single_records_or_many() {
        pollThatBrings(2);
        poll();
        pollThatBrings(101);
        poll();
        assertThat(restedMicros).isEmpty();
    }

    @Test
    void a_rest_ends_when_a_commit_is_due() {
        commit(2);
        pacer.moved(context);
        pollThatBrings(3);
        poll();
        assertThat(restedMicros).containsExactly(1_000L);
        assertThat(waitedMicros).containsExactly(0L);
        assertThat(context.committed()).isTrue();

        pacer.moved(context);
        pollThatBrings(3);
        context.resetCommit();
        poll();
        assertThat(restedMicros).as("it was due at once").hasSize(1);
    }

    @Test
    void the_moves_of_an_aborted_transaction_are_not_committed() {
        pacer.moved(context);
        pacer.aborted();
        poll();
        assertThat(waitedMicros).containsExactly(100_000L);
        assertThat(context.committed()).isFalse();
        assertThat(pacer.commits()).isZero();
    }

    @Test
    void commits_that_moved_items_are_counted() {
        commit(4);
        assertThat(pacer.commits()).isZero();
        pacer.moved(context);
        commit(4);
        assertThat(pacer.commits()).isEqualTo(1);
    }

    private void poll() {
        pacer.poll(POLL, timeout -> {
            waitedMicros.add(timeout.toNanos() / 1_000);
            nowNanos += timeout.toNanos();
            return ConsumerRecords.empty();
        });
    }

    /** Polls, and gets as many records after a millisecond. */
    private void pollThatBrings(int records) {
        pacer.poll(POLL, timeout -> {
            advance(1);
            TopicPartition partition = new TopicPartition("ingress", 0);
            return new ConsumerRecords<>(
                    Map.of(partition, IntStream.range(0, records)
                            .mapToObj(offset -> new ConsumerRecord<>("ingress", 0, offset, offset, offset)).toList()),
                    Map.of());
        });
    }

    private void commit(long millis) {
        long startedNanos = nowNanos;
        advance(millis);
        pacer.committed(startedNanos);
        context.resetCommit();
    }

    private void advance(long millis) {
        nowNanos += Duration.ofMillis(millis).toNanos();
    }
}
