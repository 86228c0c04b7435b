package io.spillway.kafka.topics;

import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.TopicPartition;

/**
 * Positions of which Kafka has no record any more. A member of a group that was suspended or cut off has lost its
 * partitions, but a fetch can be answered before it learns that: the new owner has committed and purged the records
 * meanwhile.
 */
public final class PassedPositions {
    private PassedPositions() {}

    /**
     * Confirms that other members of the consumer's group have committed offsets above its positions, so the next polls
     * tell it that the partitions are lost. Its own commits are never above its positions.
     *
     * @throws KafkaFailure when records were deleted that no member has finished, or Kafka has lost some that were read
     */
    public static void confirm(Consumer<?, ?> consumer, OffsetOutOfRangeException fault) {
        Map<TopicPartition, Long> positions = fault.offsetOutOfRangePartitions();
        Map<TopicPartition, Long> ends = consumer.endOffsets(positions.keySet());
        Map<TopicPartition, OffsetAndMetadata> committed = consumer.committed(positions.keySet());
        String group = consumer.groupMetadata().groupId();
        positions.forEach((partition, position) -> {
            long end = ends.get(partition);
            if (end < position) {
                throw new KafkaFailure("Kafka has lost records of " + partition + ": it ends at offset " + end
                        + ", and group " + group + " has read it up to offset " + position + ". What is written to it"
                        + " below offset " + position + " from now on would never be read. Stop all members of the"
                        + " group now, set its offset of this partition to " + end + ", start them, and run an audit.");
            }
            OffsetAndMetadata offset = committed.get(partition);
            if (offset == null || offset.offset() <= position) {
                throw new KafkaFailure("Kafka has no record at offset " + position + " of " + partition + ", and group "
                        + group + " has not finished the items from there: something else than Spillway has deleted"
                        + " them. Check the topic's retention and who may delete its records. To go on without them,"
                        + " stop all members of the group, and set its offset of this partition to the first one that"
                        + " Kafka has.");
            }
        });
    }
}
