package io.spillway.bench.support;

import io.spillway.kafka.topics.Topics;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Settings that every contender shares. The router has them in its code; the peers get the same ones here. */
public final class ClientSettings {
    private static final int BATCH_BYTES = 256 * 1024;

    private ClientSettings() {}

    /** What the router sets on its producer ({@code Router.properties}). */
    public static Map<String, Object> routerProducer(Topics topics) {
        return Map.of(
                ProducerConfig.BATCH_SIZE_CONFIG, BATCH_BYTES,
                ProducerConfig.RETRY_BACKOFF_MS_CONFIG, 5,
                ProducerConfig.ACKS_CONFIG, "all",
                ProducerConfig.MAX_REQUEST_SIZE_CONFIG, topics.deadLetterMaxBytes() + Topics.LANE_HEADROOM_BYTES);
    }

    /** The producer of the plain loop: the router's settings, and the one that Kafka Streams adds. */
    public static Map<String, Object> loopProducer(Scene scene, String transactionalId) {
        Map<String, Object> settings = new HashMap<>(routerProducer(scene.topics()));
        settings.put(ProducerConfig.LINGER_MS_CONFIG, 100);
        settings.put(ProducerConfig.TRANSACTIONAL_ID_CONFIG, transactionalId);
        return bytes(scene, settings);
    }

    /** A producer of bytes. */
    public static Map<String, Object> bytes(Scene scene, Map<String, Object> more) {
        Map<String, Object> settings = new HashMap<>(more);
        settings.put(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, scene.bootstrapServers());
        settings.put(ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class);
        settings.put(ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class);
        return settings;
    }

    /** A consumer of committed bytes, with the poll size that Kafka Streams uses. */
    public static Map<String, Object> consumer(Scene scene) {
        Map<String, Object> settings = new HashMap<>();
        settings.put(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, scene.bootstrapServers());
        settings.put(ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
        settings.put(ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
        settings.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
        settings.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
        settings.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
        settings.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, 1000);
        return settings;
    }
}
