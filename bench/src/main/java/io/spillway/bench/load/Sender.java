package io.spillway.bench.load;

import io.spillway.bench.support.BenchItems;
import io.spillway.bench.support.ClientSettings;
import io.spillway.bench.support.Scene;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;

/**
 * Sends one flow, on a thread and with a producer of its own: a burst is another program's than the steady items
 * beside it. An item that is sent late keeps the time at which it should have been, so the delay counts.
 */
public final class Sender implements AutoCloseable {
    private final Scene scene;
    private final Flow flow;
    private final int firstNumber;
    private final BenchItems items;
    private final boolean isOrdered;
    private final KafkaProducer<byte[], byte[]> producer;
    private final AtomicReference<Exception> failure = new AtomicReference<>();
    private final Thread thread;
    private volatile boolean isStopping;
    private volatile int sent;

    Sender(Scene scene, Traffic traffic, Flow flow, long startNanos) {
        this.scene = scene;
        this.flow = flow;
        this.firstNumber = traffic.firstOf(flow);
        this.items = new BenchItems(traffic.tenants(), traffic.areWorkloads());
        this.isOrdered = traffic.isOrdered();
        this.producer = new KafkaProducer<>(ClientSettings.bytes(scene, Map.of(ProducerConfig.ACKS_CONFIG, "all")));
        // The producer knows the topic before the first item is due.
        producer.partitionsFor(scene.input());
        this.thread = Thread.ofPlatform().name("sender-" + firstNumber).start(() -> run(startNanos));
    }

    boolean isSending() {
        return thread.isAlive();
    }

    /** Sends no further items. */
    void stop() {
        isStopping = true;
        LockSupport.unpark(thread);
    }

    /** Items sent so far. */
    int sent() {
        return sent;
    }

    /** Waits until all is sent. */
    void await() {
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (failure.get() != null) {
            throw new IllegalStateException("an item was not sent", failure.get());
        }
    }

    @Override
    public void close() {
        thread.interrupt();
        await();
        producer.close();
    }

    private void run(long startNanos) {
        for (int i = 0; i < flow.items(); i++) {
            long dueNanos = startNanos + flow.atNanos(i);
            for (long wait = dueNanos - System.nanoTime(); wait > 0 && !isStopping;
                    wait = dueNanos - System.nanoTime()) {
                LockSupport.parkNanos(wait);
                if (Thread.interrupted()) {
                    return;
                }
            }
            if (isStopping) {
                break;
            }
            BenchItems.Item item = items.of(flow.tenant(i), firstNumber + i, Instant.now(), dueNanos);
            producer.send(item.to(scene.input(), isOrdered), (stored, refused) -> {
                if (refused != null) {
                    failure.compareAndSet(null, refused);
                }
            });
            sent = i + 1;
        }
        producer.flush();
    }
}
