package io.spillway.router.route;

import io.spillway.core.routing.ItemPlacement.Placed;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.common.serialization.Serializer;
import org.apache.kafka.streams.processor.StreamPartitioner;

/**
 * Value on its way to a sink, with the partition that the processor selected. A {@link StreamPartitioner} cannot select
 * it: it receives no headers and does not know its stream thread.
 *
 * @param value     the item's bytes, unchanged; may be null in a dead letter
 * @param partition partition of the sink's topic, or {@link Placed#ANYWHERE} to partition by the key
 */
public record PartitionedValue(byte[] value, int partition) {
    /** Returns a value that is partitioned by its key. */
    public static PartitionedValue anywhere(byte[] value) {
        return new PartitionedValue(value, Placed.ANYWHERE);
    }

    /** Returns a serializer that writes the value unchanged. */
    public static Serializer<PartitionedValue> serializer() {
        return (topic, partitioned) -> partitioned.value();
    }

    /**
     * Returns a partitioner that reads the selected partition. Safe for any number of threads. One result for each
     * partition of a lane is kept, so that none is allocated later.
     */
    public static StreamPartitioner<byte[], PartitionedValue> partitioner(int partitions) {
        @SuppressWarnings({"unchecked", "rawtypes"})
        Optional<Set<Integer>>[] results = new Optional[partitions];
        for (int partition = 0; partition < partitions; partition++) {
            results[partition] = Optional.of(Set.of(partition));
        }
        return (topic, key, partitioned, count) ->
                partitioned.partition() == Placed.ANYWHERE ? Optional.empty() : results[partitioned.partition()];
    }
}
