package io.spillway.bench.peers;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeSet;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/**
 * What a plain consumer with threads has to remember to lose nothing: the offsets that are being handled. As many at
 * most as there are slots. Filled by the poll thread, emptied by the handlers' threads; every method locks.
 */
final class UnfinishedOffsets {
    private final Map<TopicPartition, TreeSet<Long>> unfinished = new HashMap<>();
    private final Map<TopicPartition, Long> positions = new HashMap<>();

    synchronized void started(ConsumerRecord<?, ?> record) {
        TopicPartition partition = new TopicPartition(record.topic(), record.partition());
        unfinished.computeIfAbsent(partition, each -> new TreeSet<>()).add(record.offset());
        positions.put(partition, record.offset() + 1);
    }

    synchronized void finished(ConsumerRecord<?, ?> record) {
        unfinished.get(new TopicPartition(record.topic(), record.partition())).remove(record.offset());
    }

    /** For each partition the lowest unfinished offset, or the position where none is. */
    synchronized Map<TopicPartition, OffsetAndMetadata> committable() {
        Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
        positions.forEach((partition, position) -> {
            TreeSet<Long> open = unfinished.get(partition);
            offsets.put(partition, new OffsetAndMetadata(open.isEmpty() ? position : open.first()));
        });
        return offsets;
    }
}
