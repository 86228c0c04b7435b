package io.spillway.router;

import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.streams.processor.StateRestoreListener;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Counter of restore events, which tells a long restore from one without progress. Any stream thread writes to it. */
final class RestoreProgress implements StateRestoreListener {
    private static final Logger LOG = LoggerFactory.getLogger(RestoreProgress.class);

    private final AtomicLong events = new AtomicLong();

    /** Returns a number that grows while there is progress. */
    long events() {
        return events.get();
    }

    @Override
    public void onRestoreStart(TopicPartition partition, String store, long startingOffset, long endingOffset) {
        events.incrementAndGet();
        if (endingOffset > startingOffset) {
            LOG.info("Restoring store {} from {}: {} offsets", store, partition, endingOffset - startingOffset);
        }
    }

    @Override
    public void onBatchRestored(TopicPartition partition, String store, long batchEndOffset, long restored) {
        events.incrementAndGet();
    }

    @Override
    public void onRestoreEnd(TopicPartition partition, String store, long restored) {
        events.incrementAndGet();
        if (restored > 0) {
            LOG.info("Restored store {} from {}: {} records", store, partition, restored);
        }
    }
}
