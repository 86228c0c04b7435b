package io.spillway.kafka.view;

import io.spillway.core.item.Printable;
import io.spillway.kafka.topics.KafkaClients;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Best-effort status publisher: writes the latest value of one key to a compacted topic periodically, outside of
 * transactions. A value that cannot be sent within two seconds is dropped, because the next one replaces it.
 *
 * <p>Owns its producer and its thread, the only one that publishes.
 */
public final class StatusPublisher implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(StatusPublisher.class);
    private static final Duration CLOSE_TIMEOUT = Duration.ofMillis(500);

    private final Producer<byte[], byte[]> producer;
    private final String topic;
    private final byte[] key;
    private final ScheduledExecutorService thread;
    private boolean failed;

    /** Creates a publisher with a new producer. */
    public StatusPublisher(KafkaClients clients, String topic, String name, String thread) {
        this(topic, name, thread, clients.producer(Map.of(
                ProducerConfig.LINGER_MS_CONFIG, "0",
                ProducerConfig.MAX_BLOCK_MS_CONFIG, "1000",
                ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, "2000",
                ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, "2000")));
    }

    /**
     * Creates a publisher that takes over a producer.
     *
     * @param name   name of the instance, the key of its status
     * @param thread name of the thread
     */
    public StatusPublisher(String topic, String name, String thread, Producer<byte[], byte[]> producer) {
        this.producer = producer;
        this.topic = topic;
        this.key = name.getBytes(StandardCharsets.UTF_8);
        this.thread = Executors.newSingleThreadScheduledExecutor(Thread.ofPlatform().daemon().name(thread).factory());
    }

    /**
     * Runs a task that publishes at a fixed rate, until the close. Call it once. A failure does not end the periodic
     * work.
     *
     * @param problem consequence of a failure, logged once until the task succeeds again
     */
    public void every(long periodMillis, long firstDelayMillis, Runnable task, String problem) {
        thread.scheduleAtFixedRate(() -> run(task, problem), firstDelayMillis, periodMillis, TimeUnit.MILLISECONDS);
    }

    private void run(Runnable task, String problem) {
        try {
            task.run();
            failed = false;
        } catch (RuntimeException e) {
            if (!failed && !thread.isShutdown()) {
                LOG.warn("{}: {}", problem, Printable.of(e.getMessage()));
            }
            failed = true;
        }
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

    /** Ends the periodic work and removes the status, so that readers notice at once that the instance stops. */
    @Override
    public void close() {
        thread.shutdownNow();
        try {
            if (thread.awaitTermination(2, TimeUnit.SECONDS)) {
                producer.send(new ProducerRecord<>(topic, key, null));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            LOG.debug("Cannot remove the status in {}; it expires on its own: {}", topic, Printable.of(e.getMessage()));
        }
        producer.close(CLOSE_TIMEOUT);
    }
}
