package io.spillway.router.route;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.apache.kafka.common.serialization.Serializer;
import org.apache.kafka.streams.processor.StreamPartitioner;
import org.junit.jupiter.api.Test;

class PartitionedValueTest {
    private static final byte[] VALUE = {1, 2, 3};

    @Test
    void the_partitioner_returns_the_selected_partition() {
        StreamPartitioner<byte[], PartitionedValue> partitioner = PartitionedValue.partitioner(12);

        for (int partition = 0; partition < 12; partition++) {
            assertThat(partitioner.partitions("lane", VALUE, new PartitionedValue(VALUE, partition), 12))
                    .contains(Set.of(partition));
        }
        assertThat(partitioner.partitions("lane", VALUE, PartitionedValue.anywhere(VALUE), 12))
                .as("partitioned by the key").isEmpty();
    }

    @Test
    void a_topic_that_has_grown_accepts_a_partition_selected_before() {
        assertThat(PartitionedValue.partitioner(4).partitions("lane", VALUE, new PartitionedValue(VALUE, 3), 8))
                .contains(Set.of(3));
    }

    @Test
    void the_bytes_are_written_unchanged() {
        try (Serializer<PartitionedValue> serializer = PartitionedValue.serializer()) {
            assertThat(serializer.serialize("lane", new PartitionedValue(VALUE, 1))).isSameAs(VALUE);
            assertThat(serializer.serialize("lane", PartitionedValue.anywhere(null))).isNull();
        }
    }
}
