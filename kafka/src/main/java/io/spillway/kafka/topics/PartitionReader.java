package io.spillway.kafka.topics;

import io.spillway.kafka.advice.SuggestedCommands;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.TopicPartition;

/**
 * Reader of one offset range of a partition, batch by batch. Holds one batch at a time, bounded by the consumer's
 * settings.
 *
 * <p>Waits for transactions that are open within the range, because they may hold records of it.
 */
public final class PartitionReader {
    private static final Duration POLL = Duration.ofMillis(200);
    /** Longer than any Spillway transaction may stay open. */
    private static final long STALL_TIMEOUT_MILLIS = 90_000;

    private final Consumer<byte[], byte[]> consumer;
    private final InstantSource clock;
    private final SuggestedCommands commands;
    private TopicPartition partition;
    private long end;

    /** Creates a reader; the consumer reads committed records, never resets its offset and is closed by the caller. */
    public PartitionReader(Consumer<byte[], byte[]> consumer, InstantSource clock, SuggestedCommands commands) {
        this.consumer = consumer;
        this.clock = clock;
        this.commands = commands;
    }

    /** Moves to the offset range [fromOffset, endOffset) of a partition. */
    public void seek(TopicPartition target, long fromOffset, long endOffset) {
        partition = target;
        end = endOffset;
        consumer.assign(List.of(target));
        consumer.seek(target, fromOffset);
    }

    /**
     * Returns the next records; empty at the end of the range.
     *
     * @throws KafkaFailure if no record arrives for longer than a transaction can stay open
     */
    public List<ConsumerRecord<byte[], byte[]>> next() {
        long lastProgressMillis = clock.millis();
        long position = position();
        while (position < end) {
            List<ConsumerRecord<byte[], byte[]>> found = poll();
            if (!found.isEmpty()) {
                return found;
            }
            if (position() > position) {
                position = position();
                lastProgressMillis = clock.millis();
            } else if (clock.millis() - lastProgressMillis > STALL_TIMEOUT_MILLIS) {
                throw new KafkaFailure("cannot read " + partition + ": no record after offset " + position + " for "
                        + STALL_TIMEOUT_MILLIS / 1000 + " s, but the partition ends at " + end
                        + ". Look for hanging transactions with: " + commands.spillway("transactions list"));
            }
        }
        return List.of();
    }

    /** Returns the offset after the last record read. */
    public long position() {
        return consumer.position(partition);
    }

    private List<ConsumerRecord<byte[], byte[]>> poll() {
        try {
            return consumer.poll(POLL).records(partition).stream().filter(record -> record.offset() < end).toList();
        } catch (OffsetOutOfRangeException e) {
            // Another process may purge finished records during the read.
            long start = consumer.beginningOffsets(List.of(partition)).get(partition);
            if (start <= position()) {
                throw e;
            }
            consumer.seek(partition, start);
            return List.of();
        }
    }
}
