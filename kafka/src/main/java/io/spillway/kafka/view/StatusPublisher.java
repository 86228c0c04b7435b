package io.spillway.kafka.view;

import io.spillway.core.item.Printable;
import io.spillway.kafka.topics.KafkaClients;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Best-effort status publisher: writes the latest value of one key to a compacted topic, outside of transactions. A
 * value that cannot be sent within two seconds is dropped, because the next one replaces it.
 *
 * <p>Owns its producer. Used by one thread at a time.
 */
public final class StatusPublisher {
    private static final Logger LOG = LoggerFactory.getLogger(StatusPublisher.class);
    private static final Duration CLOSE_TIMEOUT = Duration.ofMillis(500);

    private final Producer<byte[], byte[]> producer;
    private final String topic;
    private final byte[] key;

    /** Creates a publisher with a new producer. */
    public StatusPublisher(KafkaClients clients, String topic, String name) {
        this(topic, name, clients.producer(Map.of(
                ProducerConfig.LINGER_MS_CONFIG, "0",
                ProducerConfig.MAX_BLOCK_MS_CONFIG, "1000",
                ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, "2000",
                ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, "2000")));
    }

    /**
     * Creates a publisher that takes over a producer.
     *
     * @param name name of the instance, the key of its status
     */
    public StatusPublisher(String topic, String name, Producer<byte[], byte[]> producer) {
        this.producer = producer;
        this.topic = topic;
        this.key = name.getBytes(StandardCharsets.UTF_8);
    }

    /**
     * Publishes a status, which replaces the previous one.
     *
     * @throws org.apache.kafka.common.KafkaException if the send cannot be started
     */
    public void say(byte[] value) {
        producer.send(new ProducerRecord<>(topic, key, value), (metadata, failure) -> {
            if (failure != null) {
                LOG.debug("Cannot publish a status to {}: {}", topic, Printable.of(failure.toString()));
            }
        });
    }

    /** Removes the status, so that readers notice at once that the instance stops. */
    public void takeBack() {
        try {
            producer.send(new ProducerRecord<>(topic, key, null));
        } catch (RuntimeException e) {
            LOG.debug("Cannot remove the status in {}; it expires on its own: {}", topic, Printable.of(e.getMessage()));
        }
    }

    /** Closes the producer. */
    public void close() {
        producer.close(CLOSE_TIMEOUT);
    }
}
