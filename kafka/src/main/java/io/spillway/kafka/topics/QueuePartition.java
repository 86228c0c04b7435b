package io.spillway.kafka.topics;

import io.spillway.core.progress.ProgressCodec;
import io.spillway.core.progress.ProgressState;
import java.util.OptionalLong;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/**
 * Progress of one consumer group in one partition of a queue.
 *
 * @param partition the partition
 * @param start     first offset that still exists
 * @param end       offset after the last record
 * @param committed offset committed by the group; empty if none
 * @param waiting   items that a worker has not finished: those listed as unfinished in its commit, and all offsets not
 *                  yet read, including transaction markers. For a group of another kind, equal to {@link #behind}
 */
public record QueuePartition(TopicPartition partition, long start, long end, OptionalLong committed, long waiting) {
    /** Returns the state of a partition; the commit is null for a group that has not begun. */
    static QueuePartition of(TopicPartition partition, long start, long end, OffsetAndMetadata commit) {
        if (commit == null) {
            return new QueuePartition(partition, start, end, OptionalLong.empty(), end - start);
        }
        ProgressState progress = ProgressCodec.decode(commit.offset(), commit.metadata());
        long unread = Math.max(0, end - Math.max(start, progress.readTo()));
        return new QueuePartition(
                partition, start, end, OptionalLong.of(commit.offset()), unread + progress.unfinished().size());
    }

    /** Returns the offsets above the commit, 0 or more. Includes markers and finished items after an unfinished one. */
    public long behind() {
        return Math.max(0, end - Math.max(start, committed.orElse(start)));
    }
}
