package io.spillway.worker;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.kafka.KafkaClientMetrics;
import io.spillway.kafka.topics.KafkaClients;
import io.spillway.worker.group.SlotAssignor;
import io.spillway.worker.group.WorkerPools;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;

/** Kafka clients of a worker, which its threads own, and their metrics. Thread-safe. Owner of the metrics. */
final class WorkerClients implements AutoCloseable {
    /**
     * A consumer has one pending fetch for each broker. Partitions that were paused when it was sent wait for its end,
     * which takes 500 ms by default when the other lanes are empty. An idle worker sends a fetch after each of these.
     */
    private static final int FETCH_WAIT_MILLIS = 50;
    /** Time after which a worker without a sign of life loses its partitions. Brokers refuse less than 6 s. */
    private static final int SESSION_MILLIS = 10_000;
    /** Small, because a worker learns with a heartbeat that partitions move. */
    private static final int HEARTBEAT_MILLIS = 500;
    /** The others wait for so long for a worker that does not poll. A call may block for 60 s, and a release for 29. */
    private static final int MAX_POLL_INTERVAL_MILLIS = 90_000;
    /** Small, because the records of one partition delay those of the next in the same fetch. */
    private static final int PARTITION_FETCH_BYTES = 256 * 1024;

    private final KafkaClients clients;
    private final WorkerSettings settings;
    private final WorkerPools pools;
    private final String group;
    private final String id;
    private final long startedMillis;
    private final MeterRegistry registry;
    /** By client, because the producer may be replaced. */
    private final Map<String, KafkaClientMetrics> metrics = new ConcurrentHashMap<>();

    /** @param startedMillis start of this process, epoch milliseconds */
    WorkerClients(
            KafkaClients clients, WorkerSettings settings, WorkerPools pools, String group, String name,
            long startedMillis, MeterRegistry registry) {
        this.clients = clients;
        this.settings = settings;
        this.pools = pools;
        this.group = group;
        this.id = group + "." + name;
        this.startedMillis = startedMillis;
        this.registry = registry;
    }

    /** Returns the id of the clients and of the transactions of this worker. */
    String id() {
        return id;
    }

    Producer<byte[], byte[]> producer() {
        Producer<byte[], byte[]> producer = clients.producer(Map.of(
                ProducerConfig.TRANSACTIONAL_ID_CONFIG, id,
                ProducerConfig.TRANSACTION_TIMEOUT_CONFIG, (int) settings.transactionTimeout().toMillis(),
                ProducerConfig.RETRY_BACKOFF_MS_CONFIG, 5,
                ProducerConfig.LINGER_MS_CONFIG, 0,
                // Different from the consumer's id, because some of their metrics have the same name.
                ProducerConfig.CLIENT_ID_CONFIG, id + ".moves"));
        bind("producer", new KafkaClientMetrics(producer));
        return producer;
    }

    /** Registers the metrics of a client in place of those of the client that it replaces. */
    private void bind(String client, KafkaClientMetrics next) {
        Optional.ofNullable(metrics.put(client, next)).ifPresent(KafkaClientMetrics::close);
        next.bindTo(registry);
    }

    KafkaConsumer<byte[], byte[]> consumer() {
        KafkaConsumer<byte[], byte[]> consumer = clients.consumer(Map.ofEntries(
                Map.entry(ConsumerConfig.GROUP_ID_CONFIG, group),
                Map.entry(ConsumerConfig.GROUP_PROTOCOL_CONFIG, "classic"),
                Map.entry(ConsumerConfig.PARTITION_ASSIGNMENT_STRATEGY_CONFIG, List.of(SlotAssignor.class)),
                Map.entry(SlotAssignor.SLOTS, settings.slots()),
                Map.entry(SlotAssignor.POOLS, pools),
                Map.entry(ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG, SESSION_MILLIS),
                Map.entry(ConsumerConfig.HEARTBEAT_INTERVAL_MS_CONFIG, HEARTBEAT_MILLIS),
                Map.entry(ConsumerConfig.MAX_POLL_INTERVAL_MS_CONFIG, MAX_POLL_INTERVAL_MILLIS),
                // Only so that the next process of this worker can remove this member if it dies.
                Map.entry(ConsumerConfig.GROUP_INSTANCE_ID_CONFIG, SameName.newMember(startedMillis)),
                Map.entry(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, PollThread.MAX_RECORDS),
                Map.entry(ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG, FETCH_WAIT_MILLIS),
                Map.entry(ConsumerConfig.FETCH_MAX_BYTES_CONFIG, 8 * 1024 * 1024),
                Map.entry(ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG, PARTITION_FETCH_BYTES),
                Map.entry(ConsumerConfig.CLIENT_ID_CONFIG, id)));
        bind("consumer", new KafkaClientMetrics(consumer));
        return consumer;
    }

    /** Returns a consumer of the lanes outside the group. */
    KafkaConsumer<byte[], byte[]> reader() {
        return clients.consumer(Map.of(ConsumerConfig.CLIENT_ID_CONFIG, id + ".early"));
    }

    @Override
    public void close() {
        metrics.values().forEach(KafkaClientMetrics::close);
    }
}
