package io.spillway.kafka.topics;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.TopicPartition;

/**
 * Reader of the first unfinished record of each partition. Its timestamp is that of its entry into ingress, so it tells
 * how long a partition waits without reading all of it.
 */
public final class FirstUnfinished {
    private static final Duration POLL = Duration.ofMillis(100);
    /** A partition that has not answered within a second is left out. */
    private static final int MAX_POLLS = 10;

    private FirstUnfinished() {}

    /**
     * Returns the time of the first unfinished record of each partition that has one, epoch milliseconds. A partition
     * that is blocked by an open transaction is left out.
     *
     * @param consumer without an assignment, before and after; it should fetch little of each partition
     */
    public static Map<TopicPartition, Long> millis(Consumer<?, ?> consumer, Collection<QueueProgress> partitions) {
        Map<TopicPartition, Long> from = partitions.stream().filter(part -> part.waiting() > 0)
                .collect(Collectors.toMap(QueueProgress::partition, QueueProgress::from));
        Map<TopicPartition, Long> found = new HashMap<>();
        consumer.assign(from.keySet());
        from.forEach(consumer::seek);
        for (int polls = 0; polls < MAX_POLLS && found.size() < from.size(); polls++) {
            poll(consumer, found);
        }
        consumer.unsubscribe();
        return found;
    }

    private static void poll(Consumer<?, ?> consumer, Map<TopicPartition, Long> found) {
        try {
            consumer.poll(POLL).forEach(record ->
                    found.putIfAbsent(new TopicPartition(record.topic(), record.partition()), record.timestamp()));
            consumer.pause(found.keySet());
        } catch (OffsetOutOfRangeException purged) {
            // Purged since its progress was read.
            consumer.seekToBeginning(purged.offsetOutOfRangePartitions().keySet());
        }
    }
}
