package io.spillway.kafka.topics;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

class InitialOffsetsTest {
    @Test
    void the_log_of_a_first_start_counts_the_partitions_of_each_topic() {
        Stream<TopicPartition> hot = IntStream.range(0, 36).mapToObj(number -> new TopicPartition("hot", number));
        assertThat(InitialOffsets.byTopic(Stream.concat(hot, Stream.of(new TopicPartition("aged", 7))).toList()))
                .isEqualTo("1 partition of aged, 36 partitions of hot");
    }
}
