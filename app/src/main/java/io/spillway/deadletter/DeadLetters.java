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
 * The dead letters that wait for a decision: those neither replayed nor discarded. Owner of its Kafka clients; used by
 * one thread. It changes nothing.
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
     * @param configuration with a cluster in it
     * @param clock         for how long it waits
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

    /** A consumer that holds 500 records or about 8 MiB at a time. */
    static KafkaConsumer<byte[], byte[]> consumer(KafkaClients clients, Topics topics) {
        return clients.consumer(Map.of(
                ConsumerConfig.GROUP_ID_CONFIG, topics.replayGroup(),
                ConsumerConfig.MAX_POLL_RECORDS_CONFIG, 500,
                ConsumerConfig.FETCH_MAX_BYTES_CONFIG, 8 * 1024 * 1024,
                ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG, 8 * 1024 * 1024));
    }

    /**
     * Shows every dead letter that the filter means to a visitor, up to what there is now.
     *
     * @param visitor keeps what it wants to keep
     * @return whether it came to the end; not when it was stopped
     * @throws io.spillway.kafka.topics.KafkaFailure when the cluster does not answer
     */
    public boolean forEach(DeadLetterFilter filter, ScanListener watch, Consumer<DeadLetter> visitor) {
        return scan.over(partitions(), watch, letter -> {
            if (filter.matches(letter)) {
                visitor.accept(letter);
            }
        });
    }

    /**
     * What a run would do. Unlike {@link DeadLetterRun#survey} it ends no run that is at work.
     *
     * @param limit most dead letters that the run takes, 1 or more
     * @return empty when it was stopped
     */
    public Optional<Survey> survey(DeadLetterFilter filter, Disposal disposal, long limit, ReplayForecast forecast, ScanListener watch) {
        Survey survey = new Survey(partitions(), limit);
        return survey.read(scan, filter, disposal, forecast, watch) ? Optional.of(survey) : Optional.empty();
    }

    /** The dead letter at a place; empty where there is none, or it is replayed or discarded already. */
    public Optional<DeadLetter> at(int partition, long offset) {
        Optional<QueueProgress> there = partitions().stream()
                .filter(part -> part.partition().partition() == partition && part.isUnfinished(offset) && offset < part.end())
                .findFirst();
        if (there.isEmpty()) {
            return Optional.empty();
        }
        reader.seek(there.get().partition(), offset, offset + 1);
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
