package io.spillway.router.ledger;

import io.spillway.core.text.Printable;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.RetriableException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One read of the gap of a ledger partition. Calls that fail for a reason that can pass, such as a broker that died,
 * are repeated: each failure would cost one of the few replacements of a stream thread.
 *
 * <p>Owner: the stream thread that starts the task.
 */
final class LedgerGapReader {
    /** Shorter than the 5 minutes after which the group excludes a member that does not poll. */
    static final Duration LIMIT = Duration.ofMinutes(2);

    private static final Logger LOG = LoggerFactory.getLogger(LedgerGapReader.class);
    private static final Duration POLL = Duration.ofMillis(100);
    private static final long PAUSE_MILLIS = 50;

    private final Consumer<byte[], byte[]> consumer;
    private final TopicPartition ledger;
    private final LongSupplier nanoClock;

    /** Creates a reader; the consumer has the id of the router group and is closed by the caller. */
    LedgerGapReader(Consumer<byte[], byte[]> consumer, TopicPartition ledger, LongSupplier nanoClock) {
        this.consumer = consumer;
        this.ledger = ledger;
        this.nanoClock = nanoClock;
    }

    void read(long from, LedgerGap.Reader reader) {
        Map<TopicPartition, OffsetAndMetadata> committed = repeated(() -> consumer.committed(Set.of(ledger)));
        long end = committed.get(ledger) == null ? from : committed.get(ledger).offset();
        if (end <= from) {
            return;
        }
        consumer.assign(Set.of(ledger));
        consumer.seek(ledger, from);
        while (repeated(() -> consumer.position(ledger)) < end) {
            for (ConsumerRecord<byte[], byte[]> record : repeated(() -> consumer.poll(POLL)).records(ledger)) {
                if (record.offset() < end) {
                    reader.entry(record.offset(), record.value());
                }
            }
        }
    }

    private <T> T repeated(Supplier<T> call) {
        long sinceNanos = nanoClock.getAsLong();
        boolean logged = false;
        while (true) {
            try {
                return call.get();
            } catch (RetriableException e) {
                if (nanoClock.getAsLong() - sinceNanos > LIMIT.toNanos()) {
                    throw e;
                }
                if (!logged) {
                    logged = true;
                    LOG.warn("The last entries of {} cannot be read. It is retried for {} s: {}",
                            ledger, LIMIT.toSeconds(), Printable.of(e.toString()));
                }
                pause();
            }
        }
    }

    private static void pause() {
        try {
            new CountDownLatch(1).await(PAUSE_MILLIS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            throw new InterruptException(e);
        }
    }
}
