package io.spillway.kafka.view;

import io.spillway.core.item.Printable;
import io.spillway.kafka.topics.KafkaClients;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reader of what is written to a topic from now on. It starts at the end of the topic, also after an error: it is for
 * records that are of use at once or never.
 *
 * <p>Records that the reader refuses are skipped, counted and logged.
 *
 * <p>Owner of its consumer and its thread, on which the reader is called.
 */
public final class TopicTail implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(TopicTail.class);
    private static final Duration POLL = Duration.ofMillis(500);
    private static final Duration RETRY = Duration.ofSeconds(1);

    private final KafkaClients clients;
    private final String topic;
    private final Consumer<byte[]> reader;
    private final SkippedRecords skipped;
    private final CountDownLatch stopping = new CountDownLatch(1);
    private final Thread thread;
    private volatile Optional<KafkaConsumer<byte[], byte[]>> consumer = Optional.empty();

    /**
     * Creates a tail; {@link #start} starts it.
     *
     * @param reader receives each value; throws an IllegalArgumentException for one that it cannot decode
     * @param clock  clock of how often skipped records are logged
     */
    public TopicTail(KafkaClients clients, String topic, Consumer<byte[]> reader, InstantSource clock) {
        this.clients = clients;
        this.topic = topic;
        this.reader = reader;
        this.skipped = new SkippedRecords(topic, clock);
        this.thread = Thread.ofPlatform().daemon().name("tail-" + topic).unstarted(this::run);
    }

    /** Starts, and does not wait for anything. */
    public void start() {
        thread.start();
    }

    /** Returns the number of records skipped since the start. */
    public long skipped() {
        return skipped.count();
    }

    /** Stops the thread and waits for it, at most 5 s. */
    @Override
    public void close() {
        stopping.countDown();
        consumer.ifPresent(KafkaConsumer::wakeup);
        try {
            thread.join(5_000);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Passes the value of a record to the reader. */
    void apply(ConsumerRecord<byte[], byte[]> record) {
        try {
            if (record.value() == null) {
                throw new IllegalArgumentException("the record has no value");
            }
            reader.accept(record.value());
        } catch (IllegalArgumentException e) {
            skipped.add(record, e.getMessage());
        }
    }

    private void run() {
        while (stopping.getCount() > 0) {
            try (KafkaConsumer<byte[], byte[]> opened = clients.follower(Map.of())) {
                consumer = Optional.of(opened);
                follow(opened);
            } catch (WakeupException e) {
                return;
            } catch (RuntimeException | Error e) {
                LOG.warn("Cannot read {}; retrying from its end: {}", topic, Printable.of(e.toString()));
                pause();
            }
        }
    }

    private void follow(KafkaConsumer<byte[], byte[]> from) {
        List<TopicPartition> partitions = from.partitionsFor(topic).stream()
                .map(info -> new TopicPartition(topic, info.partition())).toList();
        if (partitions.isEmpty()) {
            throw new KafkaException("the topic does not exist");
        }
        from.assign(partitions);
        from.seekToEnd(partitions);
        while (stopping.getCount() > 0) {
            from.poll(POLL).forEach(this::apply);
        }
    }

    private void pause() {
        try {
            stopping.await(RETRY.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
