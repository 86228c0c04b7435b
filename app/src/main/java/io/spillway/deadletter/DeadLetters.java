package io.spillway.deadletter;

import io.spillway.config.Configuration;
import io.spillway.core.item.Lane;
import io.spillway.kafka.topics.KafkaClients;
import io.spillway.kafka.topics.PartitionReader;
import io.spillway.kafka.topics.QueueAdmin;
import io.spillway.kafka.topics.QueueProgress;
import io.spillway.kafka.topics.Topics;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;

/**
 * Read-only view of unfinished dead letters: those neither replayed nor discarded. Owner of its Kafka clients; used by
 * one thread.
 */
public final class DeadLetters implements AutoCloseable {
    private final String topic;
    private final String group;
    private final Admin admin;
    private final KafkaConsumer<byte[], byte[]> consumer;
    private final PartitionReader reader;
    private final Scan scan;

    /**
     * Connects.
     *
     * @param configuration configuration with a cluster
     * @param clock         clock for timeouts
     */
    public DeadLetters(Configuration configuration, InstantSource clock) {
        KafkaClients clients = new KafkaClients(configuration.queue());
        Topics topics = new Topics(configuration.queue());
        this.topic = topics.lane(Lane.DEAD_LETTER);
        this.group = topics.replayGroup();
        this.admin = clients.admin();
        this.consumer = consumer(clients, topics);
        this.reader = new PartitionReader(consumer, clock);
        this.scan = new Scan(reader);
    }

    /** Returns a consumer with batches of up to 500 records or about 8 MiB. */
    static KafkaConsumer<byte[], byte[]> consumer(KafkaClients clients, Topics topics) {
        return clients.consumer(Map.of(
                ConsumerConfig.GROUP_ID_CONFIG, topics.replayGroup(),
                ConsumerConfig.MAX_POLL_RECORDS_CONFIG, 500,
                ConsumerConfig.FETCH_MAX_BYTES_CONFIG, 8 * 1024 * 1024,
                ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG, 8 * 1024 * 1024));
    }

    /**
     * Visits every matching dead letter, up to the current ends of the partitions.
     *
     * @return true if it reached the end, false if it was stopped
     * @throws io.spillway.kafka.topics.KafkaFailure if the cluster does not respond
     */
    public boolean forEach(DeadLetterFilter filter, ScanListener watch, Consumer<DeadLetter> visitor) {
        return scan.over(partitions(), watch, letter -> {
            if (filter.matches(letter)) {
                visitor.accept(letter);
            }
        });
    }

    /**
     * Determines what a run would do. Unlike {@link DeadLetterRun#survey}, it does not fence a run in progress.
     *
     * @param limit maximum number of dead letters in the run, 1 or more
     * @return empty if it was stopped
     */
    public Optional<Survey> survey(
            DeadLetterFilter filter, Disposal disposal, long limit, ReplayForecast forecast, ScanListener watch) {
        Survey survey = new Survey(partitions(), limit);
        return survey.read(scan, filter, disposal, forecast, watch) ? Optional.of(survey) : Optional.empty();
    }

    /** Returns the unfinished dead letter at a position; empty if there is none. */
    public Optional<DeadLetter> at(int partition, long offset) {
        Optional<QueueProgress> found = partitions().stream()
                .filter(part -> part.partition().partition() == partition)
                .filter(part -> part.isUnfinished(offset) && offset < part.end())
                .findFirst();
        if (found.isEmpty()) {
            return Optional.empty();
        }
        reader.seek(found.get().partition(), offset, offset + 1);
        return reader.next().stream().map(scan::letter).findFirst();
    }

    @Override
    public void close() {
        consumer.close();
        admin.close();
    }

    private List<QueueProgress> partitions() {
        return new QueueAdmin(admin).readProgress(topic, group, false);
    }
}
