package io.spillway.worker;

import io.spillway.core.item.Lane;
import io.spillway.core.text.Printable;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reader of the commits of items that started before them, when their partitions leave this worker: otherwise the next
 * owner would attempt them again. It has a consumer of its own, because that of the worker may be in the middle of a
 * poll. Used by the poll thread.
 */
final class EarlyCommits {
    private static final Logger LOG = LoggerFactory.getLogger(EarlyCommits.class);
    private static final Duration POLL = Duration.ofMillis(20);
    /** About three seconds, for {@code router.commitInterval}; the router may have died. */
    private static final int MOST_POLLS = 150;

    private final WorkerCore core;
    private final Supplier<Consumer<byte[], byte[]>> consumers;

    EarlyCommits(WorkerCore core, Supplier<Consumer<byte[], byte[]>> consumers) {
        this.core = core;
        this.consumers = consumers;
    }

    /**
     * Lets no more items of partitions start early, and waits for the commits of those that have, as far as there is
     * room to read on.
     *
     * @param process takes the records of the partitions as those of any poll, and the consumer that has read them
     */
    void await(
            Collection<TopicPartition> partitions,
            BiConsumer<ConsumerRecords<byte[], byte[]>, Consumer<byte[], byte[]>> process) {
        if (!core.stopEarly(partitions)) {
            return;
        }
        List<OwnedPartition> hot = partitions.stream().map(core::owned).flatMap(Optional::stream)
                .filter(partition -> partition.lane() == Lane.HOT).toList();
        try (Consumer<byte[], byte[]> consumer = consumers.get()) {
            consumer.assign(hot.stream().map(partition -> partition.partition).toList());
            hot.forEach(partition -> consumer.seek(partition.partition, partition.nextOffset()));
            for (int polls = 0; polls < MOST_POLLS && core.stopEarly(partitions) && mayRead(consumer); polls++) {
                process.accept(consumer.poll(POLL), consumer);
            }
        } catch (KafkaException e) {
            LOG.warn("Items that started before their commits are attempted again, as these cannot be read: {}",
                    Printable.of(e.getMessage()));
        }
    }

    /** Pauses the partitions that have no room now, and returns whether one has some. */
    private boolean mayRead(Consumer<byte[], byte[]> consumer) {
        Set<TopicPartition> full = new HashSet<>(core.paused());
        full.retainAll(consumer.assignment());
        consumer.resume(consumer.assignment());
        consumer.pause(full);
        return full.size() < consumer.assignment().size();
    }
}
