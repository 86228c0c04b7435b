package io.spillway.bench.support;

import java.time.Duration;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.record.TimestampType;

/**
 * What lies committed in the output of a run.
 *
 * @param firstMillis when the broker appended the first record, by its clock
 * @param lastMillis  and the last
 */
public record Output(int records, long firstMillis, long lastMillis) {
    private static final Duration POLL = Duration.ofSeconds(1);

    public double seconds() {
        return (lastMillis - firstMillis) / 1e3;
    }

    public double recordsPerSecond() {
        return records / seconds();
    }

    /**
     * Reads it all.
     *
     * @throws IllegalStateException unless each item is there exactly once
     */
    public static Output read(Scene scene, int items) {
        BitSet seen = new BitSet(items);
        int records = 0;
        long first = Long.MAX_VALUE;
        long last = 0;
        try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(ClientSettings.consumer(scene))) {
            List<TopicPartition> partitions = partitions(scene);
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
            while (!partitions.stream().allMatch(partition -> consumer.position(partition) >= ends.get(partition))) {
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
                    if (record.timestampType() != TimestampType.LOG_APPEND_TIME) {
                        throw new IllegalStateException("the broker did not stamp " + record);
                    }
                    records++;
                    first = Math.min(first, record.timestamp());
                    last = Math.max(last, record.timestamp());
                    seen.set((int) BenchItems.markOf(record.value()));
                }
            }
        }
        if (records != items || seen.cardinality() != items) {
            throw new IllegalStateException("%d records of %d different items in %s, where each of %d should be once"
                    .formatted(records, seen.cardinality(), scene.output(), items));
        }
        return new Output(records, first, last);
    }

    public static List<TopicPartition> partitions(Scene scene) {
        return IntStream.range(0, Scene.PARTITIONS)
                .mapToObj(partition -> new TopicPartition(scene.output(), partition))
                .toList();
    }
}
