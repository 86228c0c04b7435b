package io.spillway.kafka.topics;

import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Factory of plain Kafka clients with the configured address, {@code kafka.properties} and durability settings. */
public final class KafkaClients {
    private final QueueSettings settings;

    public KafkaClients(QueueSettings settings) {
        this.settings = settings;
    }

    /** Returns the address and the configured properties, for any client. */
    public Map<String, Object> common() {
        Map<String, Object> properties = new HashMap<>(settings.kafka().properties());
        properties.put(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG, settings.kafka().bootstrapServers());
        return properties;
    }

    /** Returns the options with which Kafka's own command-line tools connect to this cluster. */
    public String toolOptions() {
        return "--bootstrap-server " + settings.kafka().bootstrapServers()
                + (settings.kafka().properties().isEmpty() ? "" : " --command-config FILE_WITH_KAFKA_PROPERTIES");
    }

    /** Creates an admin client; the caller closes it. */
    public Admin admin() {
        Map<String, Object> properties = common();
        properties.putIfAbsent(CommonClientConfigs.DEFAULT_API_TIMEOUT_MS_CONFIG, "30000");
        properties.putIfAbsent(CommonClientConfigs.REQUEST_TIMEOUT_MS_CONFIG, "10000");
        return Admin.create(properties);
    }

    /**
     * Creates a consumer for manual assignment that reads committed records and never resets its offset. The caller
     * closes it; further settings take precedence.
     */
    public KafkaConsumer<byte[], byte[]> consumer(Map<String, Object> more) {
        Map<String, Object> properties = common();
        properties.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
        properties.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "none");
        properties.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
        // Otherwise asking for a missing topic would create it with the cluster's defaults.
        properties.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
        properties.putAll(more);
        return new KafkaConsumer<>(properties, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }

    /** Creates an idempotent producer that waits for all in-sync replicas; the caller closes it. */
    public KafkaProducer<byte[], byte[]> producer() {
        return producer(Map.of());
    }

    /** Creates a producer as {@link #producer()} does, with further settings, which take precedence. */
    public KafkaProducer<byte[], byte[]> producer(Map<String, Object> more) {
        Map<String, Object> properties = common();
        properties.put(ProducerConfig.ACKS_CONFIG, "all");
        properties.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true);
        int maxRequestBytes = new Topics(settings).deadLetterMaxBytes() + Topics.LANE_HEADROOM_BYTES;
        properties.put(ProducerConfig.MAX_REQUEST_SIZE_CONFIG, maxRequestBytes);
        properties.putIfAbsent(ProducerConfig.LINGER_MS_CONFIG, "5");
        properties.putIfAbsent(ProducerConfig.BATCH_SIZE_CONFIG, "65536");
        properties.putAll(more);
        return new KafkaProducer<>(properties, new ByteArraySerializer(), new ByteArraySerializer());
    }
}
