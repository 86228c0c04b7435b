package io.spillway.kafka.view;

import io.spillway.core.text.Printable;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Count of the records of one topic that a view has skipped, and their log: at most one line a minute, because a faulty
 * writer, or one that makes up tenants, can cause any number. Owner: the view's thread; any thread may read the count.
 */
final class SkippedRecords {
    static final long LOG_EVERY_MILLIS = 60_000;

    private static final Logger LOG = LoggerFactory.getLogger(SkippedRecords.class);

    private final String topic;
    private final InstantSource clock;
    private final AtomicLong count = new AtomicLong();
    private long loggedCount;
    private long loggedAtMillis;

    SkippedRecords(String topic, InstantSource clock) {
        this.topic = topic;
        this.clock = clock;
    }

    long count() {
        return count.get();
    }

    /** Counts a record, and logs it unless another was logged within a minute. The reason may be untrusted, or null. */
    void add(ConsumerRecord<byte[], byte[]> record, String reason) {
        long now = count.incrementAndGet();
        long nowMillis = clock.millis();
        // A clock that was set back also causes a line.
        if (loggedCount == 0 || Math.abs(nowMillis - loggedAtMillis) >= LOG_EVERY_MILLIS) {
            LOG.warn("Skipped record {}-{}@{}: {} ({} skipped since the last such line)", topic, record.partition(),
                    record.offset(), Printable.of(reason), now - loggedCount);
            loggedCount = now;
            loggedAtMillis = nowMillis;
        }
    }
}
