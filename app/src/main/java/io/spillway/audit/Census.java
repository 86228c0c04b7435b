package io.spillway.audit;

import io.spillway.config.Configuration;
import io.spillway.core.item.ItemState;
import io.spillway.core.item.Lane;
import io.spillway.kafka.topics.KafkaClients;
import io.spillway.kafka.topics.PartitionReader;
import io.spillway.kafka.topics.QueueAdmin;
import io.spillway.kafka.topics.QueueProgress;
import io.spillway.kafka.topics.Topics;
import io.spillway.router.delay.WaitingTimer;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.Consumer;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.internals.RecordHeaders;

/**
 * Goes through everything that lies in the topics. What is finished is known from what the readers have committed, after the
 * transactions that were under way are decided.
 *
 * <p>Owner of its Kafka clients; used by one thread. Bound: a batch of a partition, and the timers of one partition.
 */
public final class Census implements AutoCloseable {
    private final Topics topics;
    private final Admin admin;
    private final QueueAdmin queues;
    private final KafkaConsumer<byte[], byte[]> consumer;
    private final PartitionReader reader;
    private final OptionalLong sinceMillis;

    /**
     * Connects, to go through everything.
     *
     * @param configuration with a cluster in it
     * @param clock         for how long it waits
     */
    public Census(Configuration configuration, InstantSource clock) {
        this(configuration, clock, OptionalLong.empty());
    }

    /**
     * Connects.
     *
     * @param configuration with a cluster in it
     * @param clock         for how long it waits
     * @param sinceMillis   passes over what lies in a partition before the first record of this time or later, epoch
     *                      milliseconds; a record keeps the time at which it was sent on every move. Empty for everything
     */
    public Census(Configuration configuration, InstantSource clock, OptionalLong sinceMillis) {
        this.sinceMillis = sinceMillis;
        this.topics = new Topics(configuration.queue());
        KafkaClients clients = new KafkaClients(configuration.queue());
        this.admin = clients.admin();
        this.queues = new QueueAdmin(admin);
        this.consumer = clients.consumer(Map.of(ConsumerConfig.FETCH_MAX_BYTES_CONFIG, 8 * 1024 * 1024));
        this.reader = new PartitionReader(consumer, clock);
    }

    /**
     * Shows what lies in the lanes, dead letters and timers included.
     *
     * @param finishedToo whether to show what is finished and not purged yet as well
     * @throws io.spillway.kafka.topics.KafkaFailure when the cluster does not answer
     */
    public void forEach(boolean finishedToo, Consumer<StoredItem> visitor) {
        for (Lane lane : List.of(Lane.HOT, Lane.OVERFLOW, Lane.AGED)) {
            read(ItemState.of(lane), topics.lane(lane), topics.workerGroup(), finishedToo, visitor);
        }
        readDelay(finishedToo, visitor);
        read(ItemState.DEAD_LETTER, topics.lane(Lane.DEAD_LETTER), topics.replayGroup(), finishedToo, visitor);
    }

    /** Shows what lies in ingress. */
    public void forEachInIngress(boolean routedToo, Consumer<StoredItem> visitor) {
        read(ItemState.OUTSIDE, topics.ingress(), topics.routerGroup(), routedToo, visitor);
    }

    @Override
    public void close() {
        consumer.close();
        admin.close();
    }

    private void read(ItemState place, String topic, String group, boolean finishedToo, Consumer<StoredItem> visitor) {
        for (QueueProgress part : queues.readProgress(topic, group, true)) {
            readPart(place, part, finishedToo, visitor);
        }
    }

    /** The first offset that was still there, and not passed over. */
    private long readPart(ItemState place, QueueProgress part, boolean finishedToo, Consumer<StoredItem> visitor) {
        long from = finishedToo ? part.start() : part.from();
        if (from >= part.end()) {
            return from;
        }
        TopicPartition partition = part.partition();
        // The start may have moved since: what is finished is purged at any time.
        long first = Math.max(from, first(partition));
        reader.seek(partition, first, part.end());
        for (var batch = reader.next(); !batch.isEmpty(); batch = reader.next()) {
            for (ConsumerRecord<byte[], byte[]> record : batch) {
                boolean isWaiting = part.isUnfinished(record.offset());
                if (isWaiting || finishedToo) {
                    visitor.accept(StoredItem.read(place, record.topic(), record.partition(), record.offset(), isWaiting, false,
                            record.key(), record.value(), record.headers(), record.timestamp()));
                }
            }
        }
        return first;
    }

    /**
     * What the delay stage has not read lies in its topic, the rest are timers. A record that becomes a timer meanwhile is seen
     * in the topic, so timers count only below where the topic was read from.
     */
    private void readDelay(boolean finishedToo, Consumer<StoredItem> visitor) {
        String topic = topics.lane(Lane.DELAY);
        for (QueueProgress part : queues.readProgress(topic, topics.routerGroup(), true)) {
            long readFrom = Math.max(part.from(), readPart(ItemState.DELAY, part, finishedToo, visitor));
            readTimers(part.partition().partition(), readFrom, topic, visitor);
        }
    }

    private void readTimers(int number, long below, String topic, Consumer<StoredItem> visitor) {
        TopicPartition changelog = new TopicPartition(topics.timersChangelog(), number);
        Map<Long, WaitingTimer> timers = new HashMap<>();
        // A timer has the time of its item, and what ends it comes later.
        readFrom(changelog, first(changelog), record -> {
            if (record.key() != null) {
                WaitingTimer.offsetOf(record.key()).ifPresent(offset -> {
                    if (record.value() == null) {
                        timers.remove(offset);
                    } else if (offset < below) {
                        timers.put(offset, WaitingTimer.of(record.key(), record.value()));
                    }
                });
            }
        });
        timers.values().forEach(timer -> visitor.accept(timer.item()
                .map(item -> StoredItem.read(ItemState.DELAY, topic, number, timer.offset(), true, true,
                        item.key(), item.value(), item.headers(), item.timestampMillis()))
                .orElseGet(() -> StoredItem.read(ItemState.DELAY, topic, number, timer.offset(), true, true,
                        null, null, new RecordHeaders(), 0))));
    }

    /** Reads a partition from its start to its end of now, transactions that are open there included. */
    void readWhole(TopicPartition partition, Consumer<ConsumerRecord<byte[], byte[]>> visitor) {
        readFrom(partition, start(partition), visitor);
    }

    /** As {@link #readWhole} from an offset on. */
    void readFrom(TopicPartition partition, long from, Consumer<ConsumerRecord<byte[], byte[]>> visitor) {
        long end = queues.end(partition);
        if (from < end) {
            reader.seek(partition, from, end);
            for (var batch = reader.next(); !batch.isEmpty(); batch = reader.next()) {
                batch.forEach(visitor);
            }
        }
    }

    /** The first offset that is there and not to be passed over; the end of what is decided when all of that is. */
    private long first(TopicPartition partition) {
        if (sinceMillis.isEmpty()) {
            return start(partition);
        }
        // First: what is decided in between is found by its time, or lies behind this.
        long decidedTo = consumer.endOffsets(List.of(partition)).get(partition);
        OffsetAndTimestamp found = consumer.offsetsForTimes(Map.of(partition, Math.max(0, sinceMillis.getAsLong()))).get(partition);
        return found == null ? decidedTo : found.offset();
    }

    /** The first offset that is there. */
    long start(TopicPartition partition) {
        return consumer.beginningOffsets(List.of(partition)).get(partition);
    }

    Topics topics() {
        return topics;
    }
}
