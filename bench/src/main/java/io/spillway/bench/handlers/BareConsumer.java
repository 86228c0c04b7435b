package io.spillway.bench.handlers;

import io.spillway.bench.support.ClientSettings;
import io.spillway.bench.support.Scene;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;

/**
 * The least there is: poll, a virtual thread for each record, a semaphore of as many permits as the worker has slots,
 * and a commit of the positions every second, whatever is still running. No tenants, no retries, no decoding, and a
 * crash
 * loses what ran.
 */
public final class BareConsumer implements HandlingContender {
    private static final Duration POLL = Duration.ofMillis(20);
    private static final long COMMIT_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Scene scene;
    private final Work work;
    private final Semaphore slots;
    private final CountDownLatch assigned = new CountDownLatch(1);
    private final Thread thread;
    private volatile boolean stopping;

    BareConsumer(Scene scene, int slots, Work work) {
        this.scene = scene;
        this.work = work;
        this.slots = new Semaphore(slots);
        this.thread = Thread.ofPlatform().name("bare").start(this::run);
        try {
            assigned.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        // It comes round at the end of the poll it is in: all its records are handled by now.
        stopping = true;
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void run() {
        Map<String, Object> settings = ClientSettings.consumer(scene);
        settings.put(ConsumerConfig.GROUP_ID_CONFIG, scene.prefix() + ".bare");
        settings.put(ConsumerConfig.GROUP_PROTOCOL_CONFIG, "consumer");
        try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(settings)) {
            consumer.subscribe(List.of(scene.output()));
            loop(consumer);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void loop(KafkaConsumer<byte[], byte[]> consumer) throws InterruptedException {
        long lastCommitNanos = System.nanoTime();
        while (!stopping) {
            for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
                slots.acquire();
                Thread.ofVirtual().start(() -> handle(record.value()));
            }
            if (consumer.assignment().size() == Scene.PARTITIONS) {
                assigned.countDown();
            }
            if (System.nanoTime() - lastCommitNanos >= COMMIT_NANOS) {
                consumer.commitAsync();
                lastCommitNanos = System.nanoTime();
            }
        }
    }

    private void handle(byte[] value) {
        try {
            work.handle(value);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            slots.release();
        }
    }
}
