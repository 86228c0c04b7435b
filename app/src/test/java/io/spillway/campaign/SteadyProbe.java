package io.spillway.campaign;

import io.spillway.core.item.Lane;
import io.spillway.kafka.codec.ItemHeaders;
import io.spillway.producer.ItemBuilder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * A tenant that sends an item to each partition of ingress every 400 ms, and a reader of the lanes that notes when an
 * item of each partition was routed. Owner of its clients and threads.
 */
final class SteadyProbe implements AutoCloseable {
    static final String TENANT = "probe";
    private static final long GAP_NANOS = 400_000_000;

    private final Set<String> accepted = ConcurrentHashMap.newKeySet();
    private final Set<String> unknown = ConcurrentHashMap.newKeySet();
    private final Gaps routed = new Gaps();
    private final Producer<byte[], byte[]> producer;
    private final String ingress;
    private final int partitions;
    private final Thread sender;
    private final Thread reader;
    private volatile boolean stopped;

    /** Starts to send and to read. */
    SteadyProbe(String bootstrapServers, String prefix, int partitions) {
        this.ingress = prefix + ".ingress";
        this.partitions = partitions;
        this.producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", bootstrapServers, "delivery.timeout.ms", "120000"),
                new ByteArraySerializer(), new ByteArraySerializer());
        this.sender = Thread.ofPlatform().name("probe-sender").start(this::send);
        this.reader = Thread.ofPlatform().name("probe-reader").start(() -> read(bootstrapServers, prefix));
    }

    private void send() {
        for (int number = 0; !stopped; number++) {
            for (int partition = 0; partition < partitions; partition++) {
                String id = partition + "-" + number;
                String name = TENANT + "/" + id;
                ProducerRecord<byte[], byte[]> record = ItemBuilder.of(TENANT).id(id)
                        .payload("ok".getBytes(StandardCharsets.UTF_8)).toRecord(ingress);
                unknown.add(name);
                producer.send(
                        new ProducerRecord<>(ingress, partition, record.key(), record.value(), record.headers()),
                        (stored, failure) -> {
                            if (failure == null) {
                                accepted.add(name);
                                unknown.remove(name);
                            }
                        });
            }
            LockSupport.parkNanos(GAP_NANOS);
        }
    }

    /** Returns the partition of ingress that an item was sent to, for {@link Gaps}. */
    static String source(String id) {
        return "partition " + id.substring(0, id.indexOf('-'));
    }

    private void read(String bootstrapServers, String prefix) {
        Map<String, Object> settings =
                Map.of("bootstrap.servers", bootstrapServers, "isolation.level", "read_committed");
        try (var consumer = new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            List<TopicPartition> lanes = Stream.of(Lane.HOT, Lane.OVERFLOW, Lane.AGED, Lane.DELAY)
                    .flatMap(lane -> consumer.partitionsFor(prefix + "." + lane.label()).stream())
                    .map(partition -> new TopicPartition(partition.topic(), partition.partition())).toList();
            consumer.assign(lanes);
            consumer.seekToEnd(lanes);
            while (!stopped) {
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(100))) {
                    if (ItemHeaders.text(record.headers(), ItemHeaders.TENANT).filter(TENANT::equals).isPresent()) {
                        ItemHeaders.text(record.headers(), ItemHeaders.ID)
                                .ifPresent(id -> routed.seen(source(id), System.currentTimeMillis()));
                    }
                }
            }
        }
    }

    Gaps routed() {
        return routed;
    }

    /** Ends the load, and waits for the answers to what was sent. */
    void stop() throws InterruptedException {
        stopped = true;
        sender.join();
        reader.join();
        producer.flush();
    }

    Set<String> accepted() {
        return Set.copyOf(accepted);
    }

    Set<String> unknown() {
        return Set.copyOf(unknown);
    }

    @Override
    public void close() {
        try {
            stop();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        producer.close(Duration.ofSeconds(10));
    }
}
