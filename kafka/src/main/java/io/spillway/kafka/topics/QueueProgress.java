package io.spillway.kafka.topics;

import io.spillway.core.progress.ProgressCodec;
import io.spillway.core.progress.ProgressState;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/**
 * Progress of one consumer group in one partition of a queue.
 *
 * @param start       first offset that still exists
 * @param end         offset after the last record, including open transactions
 * @param isCommitted whether the group has committed an offset
 * @param progress    finished records; {@link ProgressState#fresh} at the committed offset for a group that finishes
 *                    records in order, and at the start if nothing is committed
 */
public record QueueProgress(TopicPartition partition, long start, long end, boolean isCommitted,
        ProgressState progress) {
    /** Returns the progress in a partition; the commit is null for a group that has not begun. */
    static QueueProgress of(TopicPartition partition, long start, long end, OffsetAndMetadata commit) {
        return new QueueProgress(partition, start, end, commit != null, commit == null
                ? ProgressState.fresh(start)
                : ProgressCodec.decode(commit.offset(), commit.metadata()));
    }

    /** Returns the first offset that may hold an unfinished record. */
    public long from() {
        return Math.max(start, progress.frontier());
    }

    /**
     * Returns the offset below which records can be deleted, when all below {@code finishedTo} are finished. Is below
     * the end of a partition: a replica that keeps nothing forgets its leader epoch when its broker starts after a
     * crash. It then cuts itself off at its last stored high watermark, and if it is elected, so do the others. New
     * records would get offsets that the group has passed.
     */
    long purgeableTo(long finishedTo) {
        return Math.min(finishedTo, end - 1);
    }

    /** Returns whether all that is finished was deleted, except for what has to stay. */
    public boolean isPurged() {
        return start > 0 && start >= purgeableTo(from());
    }

    /** Returns the end of the range that mixes finished and unfinished records; 0 if there is none. */
    public long mixedEnd() {
        return progress.unfinished().isEmpty() ? 0 : progress.readTo();
    }

    /** Returns the number of unfinished items: those in the commit, and all later offsets, markers included. */
    public long waiting() {
        return Math.max(0, end - Math.max(start, progress.readTo())) + progress.unfinished().size();
    }

    /** Returns the offsets above the commit, 0 or more. Includes markers and finished items after an unfinished one. */
    public long behind() {
        return Math.max(0, end - from());
    }

    /** Returns whether a record at this offset is unfinished. */
    public boolean isUnfinished(long offset) {
        return offset >= from() && (offset >= progress.readTo() || progress.unfinished().contains(offset));
    }
}
