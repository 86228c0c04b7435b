package io.spillway.router.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.DisconnectException;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.Test;

class LedgerGapReaderTest {
    private static final TopicPartition LEDGER = new TopicPartition("ledger", 3);

    private final AtomicLong nanos = new AtomicLong();
    private final FailingConsumer consumer = new FailingConsumer();
    private final List<Long> read = new ArrayList<>();

    @Test
    void a_broker_that_dies_while_the_commit_is_read_does_not_end_the_stream_thread() {
        consumer.committedFailures.add(new DisconnectException());
        consumer.committedFailures.add(new TimeoutException("no coordinator"));
        consumer.has(5, 10);

        readFrom(7);

        assertThat(read).containsExactly(7L, 8L, 9L);
    }

    @Test
    void a_broker_that_dies_between_two_polls_repeats_no_entry() {
        consumer.has(5, 10);
        consumer.pollFailures.add(new DisconnectException());

        readFrom(5);

        assertThat(read).containsExactly(5L, 6L, 7L, 8L, 9L);
    }

    @Test
    void a_failure_that_lasts_is_thrown_after_two_minutes() {
        nanos.set(1);
        for (int i = 0; i < 200; i++) {
            consumer.committedFailures.add(new DisconnectException());
        }

        assertThatThrownBy(() -> readFrom(7)).isInstanceOf(DisconnectException.class);

        assertThat(consumer.calls).as("calls of 10 s each").isEqualTo(13);
    }

    @Test
    void a_failure_that_cannot_pass_is_thrown_at_once() {
        consumer.committedFailures.add(new AuthorizationException("no"));

        assertThatThrownBy(() -> readFrom(7)).isInstanceOf(AuthorizationException.class);

        assertThat(consumer.calls).isEqualTo(1);
    }

    private void readFrom(long from) {
        new LedgerGapReader(consumer, LEDGER, nanos::get).read(from, (offset, value) -> read.add(offset));
    }

    /** Consumer whose calls fail, each after ten seconds. */
    private final class FailingConsumer extends MockConsumer<byte[], byte[]> {
        private final Queue<KafkaException> committedFailures = new ArrayDeque<>();
        private final Queue<KafkaException> pollFailures = new ArrayDeque<>();
        private long end;
        private int calls;

        FailingConsumer() {
            super("none");
        }

        void has(long from, long to) {
            end = to;
            schedulePollTask(() -> {
                for (long offset = Math.max(from, position(LEDGER)); offset < to; offset++) {
                    addRecord(new ConsumerRecord<>(LEDGER.topic(), LEDGER.partition(), offset, null, new byte[0]));
                }
            });
        }

        @Override
        public synchronized Map<TopicPartition, OffsetAndMetadata> committed(Set<TopicPartition> partitions) {
            calls++;
            failNext(committedFailures);
            return Map.of(LEDGER, new OffsetAndMetadata(end));
        }

        @Override
        public synchronized ConsumerRecords<byte[], byte[]> poll(Duration timeout) {
            failNext(pollFailures);
            return super.poll(timeout);
        }

        private void failNext(Queue<KafkaException> failures) {
            if (!failures.isEmpty()) {
                nanos.addAndGet(Duration.ofSeconds(10).toNanos());
                throw failures.remove();
            }
        }
    }
}
