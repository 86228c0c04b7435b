package io.spillway.topic;

import java.util.OptionalLong;
import org.apache.kafka.common.TopicPartition;

/**
 * One partition of a queue as its reader left it.
 *
 * @param partition which
 * @param start     first offset still there
 * @param end       offset behind the last record
 * @param committed what the reading group has committed, empty when nothing
 */
public record QueuePartition(TopicPartition partition, long start, long end, OptionalLong committed) {
    /** Offsets not yet finished, 0 or more. Counts transaction markers as well as items. */
    public long behind() {
        return Math.max(0, end - Math.max(start, committed.orElse(start)));
    }
}
