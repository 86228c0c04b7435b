package io.spillway.deadletter;

import io.spillway.config.Configuration;
import io.spillway.core.item.Lane;
import io.spillway.kafka.codec.ItemDecoder;
import io.spillway.kafka.codec.ItemReader;
import io.spillway.kafka.codec.ItemSchemas;
import io.spillway.kafka.topics.KafkaClients;
import io.spillway.kafka.topics.PartitionReader;
import io.spillway.kafka.topics.QueueAdmin;
import io.spillway.kafka.topics.QueueProgress;
import io.spillway.kafka.topics.Topics;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Read-only view of unfinished dead letters: those neither replayed nor discarded. Owner of its Kafka clients; used by
 * one thread.
 */
public final class DeadLetters implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(DeadLetters.class);

    private final String topic;
    private final String group;
    private final InstantSource clock;
    private final Admin admin;
    private final QueueAdmin queues;
    private final KafkaConsumer<byte[], byte[]> consumer;
    private final PartitionReader reader;
    private final ItemReader items = new ItemReader(ItemSchemas.load(), Integer.MAX_VALUE, Integer.MAX_VALUE);
    private final ItemDecoder decoder = new ItemDecoder();
    /** Partitions with a warning. Bound: the partitions of the lane. */
    private final Set<TopicPartition> unreadable = new HashSet<>();

    /** Connects; {@code clock} is for timeouts. */
    public DeadLetters(Configuration configuration, InstantSource clock) {
        KafkaClients clients = new KafkaClients(configuration.queue());
        Topics topics = new Topics(configuration.queue());
        this.clock = clock;
        this.topic = topics.lane(Lane.DEAD_LETTER);
        this.group = topics.replayGroup();
        this.admin = clients.admin();
        this.queues = new QueueAdmin(admin, clients.commands());
        // Batches of up to 500 records or about 8 MiB.
        this.consumer = clients.consumer(Map.of(
                ConsumerConfig.GROUP_ID_CONFIG, group,
                ConsumerConfig.MAX_POLL_RECORDS_CONFIG, 500,
                ConsumerConfig.FETCH_MAX_BYTES_CONFIG, 8 * 1024 * 1024,
                ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG, 8 * 1024 * 1024));
        this.reader = new PartitionReader(consumer, clock, clients.commands());
    }

    /**
     * Visits every matching dead letter, up to the current ends of the partitions.
     *
     * @return true if it reached the end, false if it was stopped
     * @throws io.spillway.kafka.topics.KafkaFailure if the cluster does not respond
     */
    public boolean forEach(DeadLetterFilter filter, ScanListener watch, Consumer<DeadLetter> visitor) {
        return scan(partitions(false), filter, watch, visitor);
    }

    /**
     * Determines what a run would do. Unlike {@link DeadLetterRun#survey}, it does not fence a run in progress.
     *
     * @param limit maximum number of dead letters in the run, 1 or more
     * @return empty if it was stopped
     */
    public Optional<Survey> survey(
            DeadLetterFilter filter, Disposal disposal, long limit, ReplayForecast forecast, ScanListener watch) {
        return survey(partitions(false), filter, disposal, limit, forecast, watch);
    }

    Optional<Survey> survey(
            List<QueueProgress> partitions, DeadLetterFilter filter, Disposal disposal, long limit,
            ReplayForecast forecast, ScanListener watch) {
        Survey survey = new Survey(partitions, limit);
        return scan(partitions, filter, watch, letter -> survey.add(letter, disposal, forecast))
                ? Optional.of(survey)
                : Optional.empty();
    }

    /** Returns the unfinished dead letter at a position; empty if there is none. */
    public Optional<DeadLetter> at(int partition, long offset) {
        return partitions(false).stream()
                .filter(part -> part.partition().partition() == partition)
                .filter(part -> part.isUnfinished(offset) && offset < part.end())
                .findFirst()
                .flatMap(part -> {
                    reader.seek(part.partition(), offset, offset + 1);
                    return reader.next().stream().map(this::letter).findFirst();
                });
    }

    /**
     * Returns matching dead letters, the newest first.
     *
     * @param cursor where the page before ended; empty for the first page
     * @param limit  maximum number of dead letters, 1 or more
     */
    public DeadLetterPage page(DeadLetterFilter filter, Optional<DeadLetterCursor> cursor, int limit) {
        return new PageReader(filter, limit, this::read, clock).read(partitions(false), cursor);
    }

    /** Reads the unfinished dead letters of a range of offsets until the visitor returns false. */
    private boolean read(QueueProgress part, long from, long end, Predicate<DeadLetter> visitor) {
        reader.seek(part.partition(), from, end);
        for (var batch = reader.next(); !batch.isEmpty(); batch = reader.next()) {
            for (ConsumerRecord<byte[], byte[]> record : batch) {
                if (part.isUnfinished(record.offset()) && !visitor.test(letter(record))) {
                    return false;
                }
            }
        }
        return true;
    }

    @Override
    public void close() {
        consumer.close();
        admin.close(Duration.ofSeconds(5));
    }

    /** Returns the partitions of the lane; {@code settled} as for {@link QueueAdmin#readProgress}. */
    List<QueueProgress> partitions(boolean settled) {
        return queues.readProgress(topic, group, settled, this::warnOnce);
    }

    private void warnOnce(TopicPartition partition) {
        if (unreadable.add(partition)) {
            LOG.warn("The progress of group {} in {} above its committed offset cannot be read: it was changed, belongs"
                    + " to another offset, or a newer version wrote it. Dead letters above the offset that were"
                    + " replayed or discarded, but are not purged yet, count as unfinished and can be replayed again.",
                    group, partition);
        }
    }

    DeadLetter letter(ConsumerRecord<byte[], byte[]> record) {
        return new DeadLetter(record, items, decoder);
    }

    QueueAdmin queues() {
        return queues;
    }

    PartitionReader reader() {
        return reader;
    }

    ConsumerGroupMetadata groupMetadata() {
        return consumer.groupMetadata();
    }

    /** Visits matching dead letters in order of position and keeps none in memory. Returns false if it was stopped. */
    private boolean scan(
            List<QueueProgress> partitions, DeadLetterFilter filter, ScanListener watch, Consumer<DeadLetter> visitor) {
        long total = partitions.stream().mapToLong(part -> part.end() - part.from()).sum();
        long before = 0;
        for (QueueProgress part : partitions) {
            if (part.from() < part.end()) {
                reader.seek(part.partition(), part.from(), part.end());
                for (var batch = reader.next(); !batch.isEmpty(); batch = reader.next()) {
                    batch.stream().filter(record -> part.isUnfinished(record.offset()))
                            .map(this::letter).filter(filter::matches).forEach(visitor);
                    if (watch.isStopped()) {
                        return false;
                    }
                    long done = before + Math.min(reader.position(), part.end()) - part.from();
                    watch.progressed("offsets read", done, total);
                }
            }
            before += part.end() - part.from();
        }
        return true;
    }
}
