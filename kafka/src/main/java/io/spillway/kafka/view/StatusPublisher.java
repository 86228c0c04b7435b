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
 * Says on a compacted topic what is of use at once or never, under one name. Outside of any transaction; what cannot be sent
 * within two seconds is given up: the next is newer.
 *
 * <p>Owner of its producer. Used by one thread at a time.
 */
public final class StatusPublisher {
    private static final Logger LOG = LoggerFactory.getLogger(StatusPublisher.class);
    private static final Duration CLOSE_TIMEOUT = Duration.ofMillis(500);

    private final Producer<byte[], byte[]> producer;
    private final String topic;
    private final byte[] key;

    /** One with a producer of its own. */
    public StatusPublisher(KafkaClients clients, String topic, String name) {
        this(topic, name, clients.producer(Map.of(
                ProducerConfig.LINGER_MS_CONFIG, "0",
                ProducerConfig.MAX_BLOCK_MS_CONFIG, "1000",
                ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, "2000",
                ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, "2000")));
    }

    /**
     * One with a producer that is handed over to it.
     *
     * @param name of whoever speaks, the key of what is said
     */
    public StatusPublisher(String topic, String name, Producer<byte[], byte[]> producer) {
        this.producer = producer;
        this.topic = topic;
        this.key = name.getBytes(StandardCharsets.UTF_8);
    }

    /**
     * Says something in the place of what was said before.
     *
     * @throws org.apache.kafka.common.KafkaException when it cannot even be tried
     */
    public void say(byte[] value) {
        producer.send(new ProducerRecord<>(topic, key, value), (place, failure) -> {
            if (failure != null) {
                LOG.debug("Not said in {}: {}", topic, Printable.of(failure.toString()));
            }
        });
    }

    /** Takes back what was said, so that nobody waits to see that the speaker is gone. */
    public void takeBack() {
        try {
            producer.send(new ProducerRecord<>(topic, key, null));
        } catch (RuntimeException e) {
            LOG.debug("Readers of {} notice by themselves that this speaker ends: {}", topic, Printable.of(e.getMessage()));
        }
    }

    /** Closes the producer. */
    public void close() {
        producer.close(CLOSE_TIMEOUT);
    }
}
