package io.spillway.bench.peers;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.WakeupException;

/**
 * A plain consumer with a pool: poll, give each record to a thread as soon as one is free, try again in place, commit
 * below the lowest unfinished offset. First in, first out, whoever the tenant is. The poll thread waits where all slots
 * are taken, so nothing is queued but what one poll brought (500 records at most).
 */
public final class FifoPool implements QueueUnderTest {
    private static final Duration POLL = Duration.ofMillis(20);
    /** As often as a consumer that commits by itself. */
    private static final long COMMIT_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final PeerSetup setup;
    private final Semaphore slots;
    private final ExecutorService handlers = Executors.newVirtualThreadPerTaskExecutor();
    private final UnfinishedOffsets offsets = new UnfinishedOffsets();
    private final Thread thread;

    /** Starts it. */
    public FifoPool(PeerSetup setup) {
        this.setup = setup;
        this.slots = new Semaphore(setup.slots());
        this.thread = Thread.ofPlatform().name("fifo").start(this::run);
        Assignments.awaitConsumerGroup(setup, this);
    }

    @Override
    public boolean isRunning() {
        return thread.isAlive();
    }

    @Override
    public void close() {
        thread.interrupt();
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        handlers.shutdownNow();
    }

    private void run() {
        try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(setup.consumer())) {
            consumer.subscribe(List.of(setup.topic()));
            try {
                loop(consumer);
            } catch (InterruptedException | InterruptException | WakeupException e) {
                // It is being closed; the interrupt must not end the closing of the consumer.
                Thread.interrupted();
            }
        }
    }

    /** Until the interrupt of {@link #close}: each wait in it ends with one. */
    private void loop(KafkaConsumer<byte[], byte[]> consumer) throws InterruptedException {
        long lastCommitNanos = System.nanoTime();
        while (true) {
            for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
                slots.acquire();
                offsets.started(record);
                handlers.execute(() -> handle(record));
            }
            if (System.nanoTime() - lastCommitNanos >= COMMIT_NANOS) {
                consumer.commitAsync(offsets.committable(), null);
                lastCommitNanos = System.nanoTime();
            }
        }
    }

    private void handle(ConsumerRecord<byte[], byte[]> record) {
        try {
            for (int failures = 1; !setup.handler().handle(record.key(), record.value()); failures++) {
                Thread.sleep(PeerBackoff.after(failures));
            }
            offsets.finished(record);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            slots.release();
        }
    }
}
