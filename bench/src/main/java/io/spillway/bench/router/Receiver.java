package io.spillway.bench.router;

import io.spillway.bench.support.BenchItems;
import io.spillway.bench.support.ClientSettings;
import io.spillway.bench.support.Output;
import io.spillway.bench.support.Scene;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.Histogram;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;

/** Reads the output as it is committed, and measures from the nanosecond at which each item should have been sent. */
public final class Receiver implements AutoCloseable {
    private static final long HIGHEST_NANOS = TimeUnit.MINUTES.toNanos(5);
    private static final Duration POLL = Duration.ofMillis(100);

    private final Scene scene;
    private final Histogram histogram = new Histogram(HIGHEST_NANOS, 3);
    private final AtomicLong received = new AtomicLong();
    private final CountDownLatch ready = new CountDownLatch(1);
    private final Thread thread;
    private volatile long countFromNanos = Long.MAX_VALUE;
    private volatile boolean stopping;

    Receiver(Scene scene) {
        this.scene = scene;
        this.thread = Thread.ofPlatform().name("receiver").start(this::run);
    }

    void awaitReady() throws InterruptedException {
        ready.await();
    }

    /** Earlier items are for warming up. */
    void countFrom(long intendedNanos) {
        countFromNanos = intendedNanos;
    }

    long received() {
        return received.get();
    }

    /** What was measured; call it after {@link #close}. */
    Histogram histogram() {
        return histogram;
    }

    @Override
    public void close() {
        stopping = true;
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void run() {
        try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(ClientSettings.consumer(scene))) {
            consumer.assign(Output.partitions(scene));
            consumer.seekToBeginning(consumer.assignment());
            consumer.poll(POLL);
            ready.countDown();
            while (!stopping) {
                ConsumerRecords<byte[], byte[]> records = consumer.poll(POLL);
                long now = System.nanoTime();
                for (ConsumerRecord<byte[], byte[]> record : records) {
                    long intended = BenchItems.markOf(record.value());
                    if (intended - countFromNanos >= 0) {
                        histogram.recordValue(now - intended);
                    }
                }
                received.addAndGet(records.count());
            }
        }
    }
}
