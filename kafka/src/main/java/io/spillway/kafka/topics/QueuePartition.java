package io.spillway.kafka.topics;

import io.spillway.core.progress.ProgressCodec;
import io.spillway.core.progress.ProgressState;
import java.util.OptionalLong;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/**
 * One partition of a queue as its reader left it.
 *
 * @param partition which
 * @param start     first offset still there
 * @param end       offset behind the last record
 * @param committed what the reading group has committed, empty when nothing
 * @param waiting   items that a worker has not finished: those its commit lists, and offsets it has not read yet, among
 *                  which transaction markers count too; for a group of another kind the same as {@link #behind}
 */
public record QueuePartition(TopicPartition partition, long start, long end, OptionalLong committed, long waiting) {
    /** As it is with this commit. */
    static QueuePartition of(TopicPartition partition, long start, long end, OffsetAndMetadata commit) {
        ProgressState progress = ProgressCodec.decode(commit.offset(), commit.metadata());
        long unread = Math.max(0, end - Math.max(start, progress.readTo()));
        return new QueuePartition(
                partition, start, end, OptionalLong.of(commit.offset()), unread + progress.unfinished().size());
    }

    /** As it is for a group that has not begun. */
    static QueuePartition untouched(TopicPartition partition, long start, long end) {
        return new QueuePartition(partition, start, end, OptionalLong.empty(), end - start);
    }

    /** Offsets above the commit, 0 or more: markers and finished items behind an unfinished one count as well. */
    public long behind() {
        return Math.max(0, end - Math.max(start, committed.orElse(start)));
    }
}
