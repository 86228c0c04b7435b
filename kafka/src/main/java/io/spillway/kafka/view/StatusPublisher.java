package io.spillway.kafka.view;

import io.spillway.core.text.Printable;
import io.spillway.kafka.periodic.PeriodicTask;
import io.spillway.kafka.periodic.StartDelays;
import io.spillway.kafka.topics.KafkaClients;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Best-effort status publisher: writes the latest value of one key to a compacted topic, outside of transactions. A
 * value that cannot be sent within two seconds is dropped, because the next one replaces it.
 *
 * <p>Owns its producer and its thread. {@link #publish} is for one thread at a time.
 */
public final class StatusPublisher implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(StatusPublisher.class);
    private static final Duration CLOSE_TIMEOUT = Duration.ofMillis(500);

    private final Producer<byte[], byte[]> producer;
    private final String topic;
    private final byte[] key;
    private Optional<PeriodicTask> task = Optional.empty();
    private int idlePeriods;

    /** Creates a publisher with a new producer. */
    public StatusPublisher(KafkaClients clients, String topic, String name) {
        this(topic, name, clients.bestEffortProducer());
    }

    /** Creates a publisher that takes over a producer; the name of the instance is the key of its status. */
    public StatusPublisher(String topic, String name, Producer<byte[], byte[]> producer) {
        this.producer = producer;
        this.topic = topic;
        this.key = name.getBytes(StandardCharsets.UTF_8);
    }

    /**
     * Runs a task, which may publish, periodically until {@link #close}. A failure does not end the periodic work.
     *
     * @param warning receives the message of the first of successive failures, printable
     */
    public void start(Runnable run, StartDelays delays, long periodMillis, Consumer<String> warning) {
        task = Optional.of(new PeriodicTask("status-" + topic, run, warning));
        task.get().start(delays, periodMillis);
    }

    /**
     * Publishes a status, which replaces the previous one.
     *
     * @throws org.apache.kafka.common.KafkaException if the send cannot be started
     */
    public void publish(byte[] value) {
        producer.send(new ProducerRecord<>(topic, key, value), (metadata, failure) -> {
            if (failure != null) {
                LOG.debug("Cannot publish a status to {}: {}", topic, Printable.of(failure.toString()));
            }
        });
    }

    /**
     * Publishes the status of a period, but of idle periods in a row only the first and each {@code every}-th after it.
     *
     * @param every 1 or more
     */
    public void publish(boolean isIdle, int every, Supplier<byte[]> status) {
        if (!isIdle || idlePeriods % every == 0) {
            publish(status.get());
        }
        idlePeriods = isIdle ? idlePeriods + 1 : 0;
    }

    /** Stops the task, removes the status, so that readers need not wait until it expires, and closes the producer. */
    @Override
    public void close() {
        if (task.isEmpty() || task.get().stop()) {
            retract();
        }
        producer.close(CLOSE_TIMEOUT);
    }

    private void retract() {
        try {
            producer.send(new ProducerRecord<>(topic, key, null));
        } catch (RuntimeException e) {
            LOG.debug("Cannot remove the status in {}; it expires on its own: {}", topic, Printable.of(e.getMessage()));
        }
    }
}
