package io.spillway.kafka.topics;

import io.spillway.core.progress.ProgressState;
import org.apache.kafka.common.TopicPartition;

/**
 * One partition of a queue whose records are finished in any order.
 *
 * @param partition which
 * @param start     first offset still there
 * @param end       offset behind the last record, of open transactions too
 * @param progress  what is finished; {@link ProgressState#fresh} at the start when nothing is known
 */
public record QueueProgress(TopicPartition partition, long start, long end, ProgressState progress) {
    /** The first offset that may be there and unfinished. */
    public long from() {
        return Math.max(start, progress.frontier());
    }

    /** Behind the stretch in which finished and unfinished records are mixed; 0 when there is none. */
    public long leftBehindTo() {
        return progress.unfinished().isEmpty() ? 0 : progress.readTo();
    }

    /** Items that are not finished: those that the commit lists, and what it does not know of, transaction markers included. */
    public long waiting() {
        return Math.max(0, end - Math.max(start, progress.readTo())) + progress.unfinished().size();
    }

    /** Whether a record at this offset is not finished. */
    public boolean isUnfinished(long offset) {
        return offset >= from() && (offset >= progress.readTo() || progress.unfinished().contains(offset));
    }
}
