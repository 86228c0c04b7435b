package io.spillway.kafka.topics;

import io.spillway.core.progress.ProgressState;
import org.apache.kafka.common.TopicPartition;

/**
 * Progress in one partition of a queue whose records are finished in any order.
 *
 * @param partition the partition
 * @param start     first offset that still exists
 * @param end       offset after the last record, including open transactions
 * @param progress  finished records; {@link ProgressState#fresh} at the start if nothing is committed
 */
public record QueueProgress(TopicPartition partition, long start, long end, ProgressState progress) {
    /** Returns the first offset that may hold an unfinished record. */
    public long from() {
        return Math.max(start, progress.frontier());
    }

    /** Returns the end of the range that mixes finished and unfinished records; 0 if there is none. */
    public long mixedEnd() {
        return progress.unfinished().isEmpty() ? 0 : progress.readTo();
    }

    /** Returns the number of unfinished items: those in the commit, and all later offsets, markers included. */
    public long waiting() {
        return Math.max(0, end - Math.max(start, progress.readTo())) + progress.unfinished().size();
    }

    /** Returns whether a record at this offset is unfinished. */
    public boolean isUnfinished(long offset) {
        return offset >= from() && (offset >= progress.readTo() || progress.unfinished().contains(offset));
    }
}
