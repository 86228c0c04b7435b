package io.spillway.kafka.view;

import io.spillway.core.text.Printable;
import io.spillway.kafka.topics.KafkaClients;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Thread that follows a topic until it is closed, and begins again with a new consumer after an error. Owner of its
 * thread and its consumer.
 */
public abstract class TopicFollower implements AutoCloseable {
    /** Longest wait of a poll; it returns at once with records, or when the follower is closed. */
    protected static final Duration POLL = Duration.ofSeconds(2);

    private static final Logger LOG = LoggerFactory.getLogger(TopicFollower.class);
    private static final Duration RETRY = Duration.ofSeconds(1);

    final String topic;
    private final SkippedRecords skipped;
    private final KafkaClients clients;
    private final Map<String, Object> properties;
    private final CountDownLatch stopping = new CountDownLatch(1);
    private final String threadName;
    private volatile Optional<Thread> thread = Optional.empty();
    private volatile Optional<Consumer<byte[], byte[]>> consumer = Optional.empty();
    private volatile String lastFault = "";

    /**
     * Creates a follower that is not started.
     *
     * @param kind       start of the name of its thread
     * @param properties further properties of its consumer
     * @param clock      clock of how often skipped records are logged
     */
    protected TopicFollower(
            KafkaClients clients, String topic, String kind, Map<String, Object> properties, InstantSource clock) {
        this.clients = clients;
        this.topic = topic;
        this.properties = properties;
        this.skipped = new SkippedRecords(topic, clock);
        this.threadName = kind + topic;
    }

    /** Reads from the partitions, which are assigned, while {@link #isRunning}. */
    protected abstract void follow(Consumer<byte[], byte[]> from, List<TopicPartition> partitions);

    /** Counts a record that cannot be used, and logs it; the reason may be untrusted, or null. */
    protected final void skip(ConsumerRecord<byte[], byte[]> record, String reason) {
        skipped.add(record, reason);
    }

    /** Returns the number of records skipped since the start. */
    public long skipped() {
        return skipped.count();
    }

    protected final void begin() {
        thread = Optional.of(Thread.ofPlatform().daemon().name(threadName).start(this::run));
    }

    protected final boolean isRunning() {
        return stopping.getCount() > 0;
    }

    /** Returns the last error, printable; empty without one. */
    String lastFault() {
        return lastFault;
    }

    /** Stops the thread and waits for it, at most 5 s. */
    @Override
    public void close() {
        stopping.countDown();
        consumer.ifPresent(Consumer::wakeup);
        try {
            if (thread.isPresent()) {
                thread.get().join(5_000);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void run() {
        while (isRunning()) {
            try (Consumer<byte[], byte[]> opened = clients.follower(properties)) {
                consumer = Optional.of(opened);
                List<TopicPartition> partitions = opened.partitionsFor(topic).stream()
                        .map(info -> new TopicPartition(topic, info.partition())).toList();
                if (partitions.isEmpty()) {
                    throw new KafkaException("the topic does not exist");
                }
                opened.assign(partitions);
                follow(opened, partitions);
            } catch (WakeupException e) {
                return;
            } catch (RuntimeException | Error e) {
                lastFault = Printable.of(e.getMessage());
                LOG.warn("Cannot read {}; trying again: {}", topic, Printable.of(e.toString()));
                pause();
            }
        }
    }

    /** Waits for a second, or until it is closed. */
    protected final void pause() {
        try {
            stopping.await(RETRY.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
