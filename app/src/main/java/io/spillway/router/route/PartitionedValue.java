package io.spillway.router.route;

import java.util.Optional;
import java.util.Set;
import org.apache.kafka.common.serialization.Serializer;
import org.apache.kafka.streams.processor.StreamPartitioner;

/**
 * A value on its way to a sink with the partition that the processor has chosen for it. A partitioner of Kafka Streams sees
 * neither headers nor the thread, so it cannot choose; it only reads this.
 *
 * @param value     the item's bytes, untouched; may be null, as what is dead may be
 * @param partition of the sink's topic, or {@link #ANY} for wherever the key leads
 */
public record PartitionedValue(byte[] value, int partition) {
    public static final int ANY = -1;

    /** Goes wherever its key leads. */
    public static PartitionedValue anywhere(byte[] value) {
        return new PartitionedValue(value, ANY);
    }

    /** Writes the value as it is. */
    public static Serializer<PartitionedValue> serializer() {
        return (topic, placed) -> placed.value();
    }

    /**
     * Reads the partition. One for each sink; any number of threads.
     *
     * @param partitions of the lanes: each answer is made once
     */
    public static StreamPartitioner<byte[], PartitionedValue> partitioner(int partitions) {
        @SuppressWarnings({"unchecked", "rawtypes"})
        Optional<Set<Integer>>[] answers = new Optional[partitions];
        for (int partition = 0; partition < partitions; partition++) {
            answers[partition] = Optional.of(Set.of(partition));
        }
        return (topic, key, placed, count) -> placed.partition() == ANY ? Optional.empty() : answers[placed.partition()];
    }
}
