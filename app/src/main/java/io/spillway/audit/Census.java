package io.spillway.audit;

import io.spillway.audit.StoredItem.Progress;
import io.spillway.config.Configuration;
import io.spillway.core.item.ItemState;
import io.spillway.core.item.Lane;
import io.spillway.kafka.codec.ClaimResult;
import io.spillway.kafka.codec.ItemHeaders;
import io.spillway.kafka.codec.TrailCodec;
import io.spillway.kafka.codec.Turn;
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
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.utils.Bytes;

/**
 * Scanner of all items that are stored in the topics. An item counts as finished if the committed progress of its
 * consumer group says so, after open transactions are decided.
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

    /** Connects, to scan all items. */
    public Census(Configuration configuration, InstantSource clock) {
        this(configuration, clock, OptionalLong.empty());
    }

    /**
     * Connects.
     *
     * @param clock       clock for timeouts
     * @param sinceMillis skips the records of a partition before its first record of this time or later, epoch
     *                    milliseconds; a record keeps its send time on every move. Empty for all
     */
    public Census(Configuration configuration, InstantSource clock, OptionalLong sinceMillis) {
        this.sinceMillis = sinceMillis;
        this.topics = new Topics(configuration.queue());
        KafkaClients clients = new KafkaClients(configuration.queue());
        this.admin = clients.admin();
        this.queues = new QueueAdmin(admin, clients.commands());
        this.consumer = clients.consumer(Map.of(ConsumerConfig.FETCH_MAX_BYTES_CONFIG, 8 * 1024 * 1024));
        this.reader = new PartitionReader(consumer, clock, clients.commands());
    }

    /**
     * Visits all items in the lanes, including dead letters and timers.
     *
     * @param includeFinished whether to include finished items that are not purged yet
     * @throws io.spillway.kafka.topics.KafkaFailure if the cluster does not respond
     */
    public void forEach(boolean includeFinished, Consumer<StoredItem> visitor) {
        for (Lane lane : Lane.WORKED) {
            read(ItemState.of(lane), topics.lane(lane), topics.workerGroup(), includeFinished, visitor);
        }
        readDelay(includeFinished, visitor);
        read(ItemState.DEAD_LETTER, topics.lane(Lane.DEAD_LETTER), topics.replayGroup(), includeFinished, visitor);
    }

    /** Visits the items in the ingress topic. */
    public void forEachInIngress(boolean includeRouted, Consumer<StoredItem> visitor) {
        read(ItemState.OUTSIDE, topics.ingress(), topics.routerGroup(), includeRouted, visitor);
    }

    /** Visits the items of a range of an ingress partition that are still there. */
    void forEachInIngress(int number, long from, long to, Consumer<StoredItem> visitor) {
        TopicPartition partition = new TopicPartition(topics.ingress(), number);
        long first = Math.max(from, start(partition));
        if (first < to) {
            readRange(partition, first, to, record -> visitor.accept(StoredItem.read(ItemState.OUTSIDE,
                    record.topic(), number, record.offset(), Progress.FINISHED, record.key(), record.value(),
                    record.headers(), record.timestamp())));
        }
    }

    /** Returns what the routers have committed of ingress, by partition, after open transactions are decided. */
    Map<Integer, Long> routed() {
        return queues.readProgress(topics.ingress(), topics.routerGroup(), true).stream()
                .filter(QueueProgress::isCommitted)
                .collect(Collectors.toMap(part -> part.partition().partition(), part -> part.progress().frontier()));
    }

    /**
     * Returns the number of a topic's records that a group has passed, of one that finishes them in order; empty if its
     * first records are gone, so that they cannot be counted.
     *
     * @param startMillis skips those before the first of this time or later, epoch milliseconds; empty for all
     * @throws io.spillway.kafka.topics.KafkaFailure also if there is no such topic
     */
    OptionalLong passed(String topic, String group, OptionalLong startMillis) {
        long[] records = {0};
        for (QueueProgress part : queues.readProgress(topic, group, true)) {
            long first = first(part.partition(), startMillis);
            if (part.start() > 0 && first == part.start()) {
                return OptionalLong.empty();
            }
            if (first < part.from()) {
                readRange(part.partition(), first, part.from(), record -> records[0]++);
            }
        }
        return OptionalLong.of(records[0]);
    }

    /** Visits the finished items and failed attempts on the trail, oldest first; none if there is no trail. */
    public void forEachOnTrail(Consumer<StoredItem> visitor) {
        if (!topics.keepsTrail()) {
            return;
        }
        TopicPartition trail = new TopicPartition(topics.trail(), 0);
        readFrom(trail, first(trail), record -> TrailCodec.End.of(record.value())
                // Moves are seen in the lanes.
                .filter(end -> end.isFinal() || record.headers().lastHeader(ItemHeaders.LAST_FAILURE) != null)
                .ifPresent(end -> visitor.accept(StoredItem.read(
                        end.state(), record.topic(), record.partition(), record.offset(),
                        end.isFinal() ? Progress.FINISHED : Progress.FAILED,
                        record.key(), record.value(), record.headers(), record.timestamp()))));
    }

    @Override
    public void close() {
        consumer.close();
        admin.close();
    }

    private void read(
            ItemState state, String topic, String group, boolean includeFinished, Consumer<StoredItem> visitor) {
        for (QueueProgress part : queues.readProgress(topic, group, true)) {
            readPart(state, part, includeFinished, visitor);
        }
    }

    /** Visits the items of a partition and returns the first offset that was neither purged nor skipped. */
    private long readPart(ItemState state, QueueProgress part, boolean includeFinished, Consumer<StoredItem> visitor) {
        long from = includeFinished && !part.isPurged() ? part.start() : part.from();
        if (from >= part.end()) {
            return from;
        }
        TopicPartition partition = part.partition();
        // The start may have moved, because finished records are purged at any time.
        long first = Math.max(from, first(partition));
        readRange(partition, first, part.end(), record -> {
            boolean isWaiting = part.isUnfinished(record.offset());
            if ((isWaiting || includeFinished) && !ClaimResult.isIn(record.headers())
                    && !Turn.isNotice(record.headers())) {
                visitor.accept(StoredItem.read(state, record.topic(), record.partition(), record.offset(),
                        isWaiting ? Progress.WAITS : Progress.FINISHED, record.key(), record.value(),
                        record.headers(), record.timestamp()));
            }
        });
        return first;
    }

    /**
     * Visits delayed items: records that the delay stage has not read, and its timers. Timers count only below the
     * first offset that was read from the topic, because a record may become a timer during the scan.
     */
    private void readDelay(boolean includeFinished, Consumer<StoredItem> visitor) {
        String topic = topics.lane(Lane.DELAY);
        for (QueueProgress part : queues.readProgress(topic, topics.routerGroup(), true)) {
            long readFrom = Math.max(part.from(), readPart(ItemState.DELAY, part, includeFinished, visitor));
            readTimers(part.partition().partition(), readFrom, topic, visitor);
        }
    }

    private void readTimers(int number, long below, String topic, Consumer<StoredItem> visitor) {
        TopicPartition changelog = new TopicPartition(topics.timersChangelog(), number);
        // By key: an item that is parked when its timer ends has the same offset under both keys.
        Map<Bytes, WaitingTimer> timers = new HashMap<>();
        // The record that removes a timer comes after the one that sets it, which is later than the item's time.
        readFrom(changelog, first(changelog), record -> {
            if (record.key() != null) {
                WaitingTimer.offsetOf(record.key()).ifPresent(offset -> {
                    if (record.value() == null) {
                        timers.remove(Bytes.wrap(record.key()));
                    } else if (offset < below) {
                        timers.put(Bytes.wrap(record.key()), WaitingTimer.of(record.key(), record.value()));
                    }
                });
            }
        });
        timers.values().forEach(timer -> {
            WaitingTimer.Item item =
                    timer.item().orElseGet(() -> new WaitingTimer.Item(null, null, new RecordHeaders(), 0));
            visitor.accept(StoredItem.read(ItemState.DELAY, topic, number, timer.offset(),
                    timer.isParked() ? Progress.PARKED : Progress.TIMER,
                    item.key(), item.value(), item.headers(), item.timestampMillis()));
        });
    }

    /** Reads a partition from an offset to its current end, including open transactions. */
    void readFrom(TopicPartition partition, long from, Consumer<ConsumerRecord<byte[], byte[]>> visitor) {
        long end = queues.end(partition);
        if (from < end) {
            readRange(partition, from, end, visitor);
        }
    }

    private void readRange(
            TopicPartition partition, long from, long end, Consumer<ConsumerRecord<byte[], byte[]>> visitor) {
        reader.seek(partition, from, end);
        for (var batch = reader.next(); !batch.isEmpty(); batch = reader.next()) {
            batch.forEach(visitor);
        }
    }

    /** Returns the first offset that is neither purged nor skipped; the last stable offset if all are. */
    private long first(TopicPartition partition) {
        return first(partition, sinceMillis);
    }

    private long first(TopicPartition partition, OptionalLong fromMillis) {
        if (fromMillis.isEmpty()) {
            return start(partition);
        }
        // Read first: a record that is decided after this call is found by its time, or its offset is higher.
        long decidedTo = consumer.endOffsets(List.of(partition)).get(partition);
        OffsetAndTimestamp found = consumer
                .offsetsForTimes(Map.of(partition, Math.max(0, fromMillis.getAsLong()))).get(partition);
        return found == null ? decidedTo : found.offset();
    }

    long start(TopicPartition partition) {
        return consumer.beginningOffsets(List.of(partition)).get(partition);
    }

    Topics topics() {
        return topics;
    }
}
