package io.spillway.kafka.topics;

import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;

/**
 * Reads a stretch of one partition, batch by batch. Holds one batch at a time, which the consumer's settings bound.
 *
 * <p>It waits for transactions that are open within the stretch, since they may hold records.
 */
public final class PartitionReader {
    private static final Duration POLL = Duration.ofMillis(200);
    /** Longer than any transaction of ours may be open. */
    private static final long STUCK_MILLIS = 90_000;

    private final Consumer<byte[], byte[]> consumer;
    private final InstantSource clock;
    private TopicPartition partition;
    private long end;

    /**
     * Reads with a consumer.
     *
     * @param consumer reads what is committed, and resets to nothing; the caller closes it
     * @param clock    for how long it waits
     */
    public PartitionReader(Consumer<byte[], byte[]> consumer, InstantSource clock) {
        this.consumer = consumer;
        this.clock = clock;
    }

    /** Goes to the stretch [from, to) of a partition. */
    public void seek(TopicPartition to, long fromOffset, long endOffset) {
        partition = to;
        end = endOffset;
        consumer.assign(List.of(to));
        consumer.seek(to, fromOffset);
    }

    /**
     * The next records; empty at the end.
     *
     * @throws KafkaFailure when nothing comes for so long that no transaction can be the reason
     */
    public List<ConsumerRecord<byte[], byte[]>> next() {
        long lastMoveMillis = clock.millis();
        long position = position();
        while (position < end) {
            List<ConsumerRecord<byte[], byte[]>> found = poll();
            if (!found.isEmpty()) {
                return found;
            }
            if (position() > position) {
                position = position();
                lastMoveMillis = clock.millis();
            } else if (clock.millis() - lastMoveMillis > STUCK_MILLIS) {
                throw new KafkaFailure("cannot read " + partition, new KafkaException("nothing comes at offset " + position
                        + " for " + STUCK_MILLIS / 1000 + " s although the partition ends at " + end));
            }
        }
        return List.of();
    }

    /** The offset behind what was read. */
    public long position() {
        return consumer.position(partition);
    }

    private List<ConsumerRecord<byte[], byte[]>> poll() {
        try {
            return consumer.poll(POLL).records(partition).stream().filter(record -> record.offset() < end).toList();
        } catch (OffsetOutOfRangeException purged) {
            // Another run has purged what is finished while this one reads.
            long start = consumer.beginningOffsets(List.of(partition)).get(partition);
            if (start <= position()) {
                throw purged;
            }
            consumer.seek(partition, start);
            return List.of();
        }
    }
}
