package io.spillway.demo;

import io.spillway.cli.terminal.CommandFailure;
import io.spillway.core.item.Printable;
import io.spillway.producer.ItemBuilder;
import io.spillway.schema.WorkItem;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.producer.Producer;

/**
 * Sender of the items of the plan, each to both queues. The creation time of an item is the time at which it was due,
 * so a late sender increases its age and hides no delay.
 *
 * <p>Owner: the thread that calls {@link #run}. Other threads may read the counts.
 */
final class DemoTraffic {
    private static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
    private static final ByteBuffer PAYLOAD =
            ByteBuffer.wrap("hello".getBytes(StandardCharsets.UTF_8)).asReadOnlyBuffer();

    private final Producer<byte[], byte[]> producer;
    private final List<String> topics;
    private final DemoPlan plan;
    private final DemoClock clock;
    private final List<DemoPlan.Stream> streams;
    private final long[] next;
    private final Map<String, Long> sent = new ConcurrentHashMap<>();
    private final AtomicReference<Exception> failure = new AtomicReference<>();
    private volatile boolean complete;

    DemoTraffic(Producer<byte[], byte[]> producer, List<String> topics, DemoPlan plan, DemoClock clock) {
        this.producer = producer;
        this.topics = topics;
        this.plan = plan;
        this.clock = clock;
        this.streams = plan.streams();
        this.next = new long[streams.size()];
    }

    /** Sends all items, until its thread is interrupted. */
    void run() {
        long elapsedMillis;
        do {
            elapsedMillis = clock.elapsedMillis();
            sendDue(elapsedMillis);
            LockSupport.parkNanos(TICK_NANOS);
            if (Thread.interrupted()) {
                return;
            }
        } while (elapsedMillis < plan.endMillis());
        producer.flush();
        complete = true;
    }

    /** Returns whether Kafka has stored all items. */
    boolean isComplete() {
        if (failure.get() != null) {
            throw CommandFailure.failed("Kafka could not store an item: " + Printable.of(failure.get().toString()));
        }
        return complete;
    }

    long sent(String tenant) {
        return sent.getOrDefault(tenant, 0L);
    }

    long sent() {
        return sent.values().stream().mapToLong(Long::longValue).sum();
    }

    private void sendDue(long elapsedMillis) {
        for (int i = 0; i < next.length; i++) {
            DemoPlan.Stream stream = streams.get(i);
            double due = stream.dueMillis(next[i]);
            while (due <= elapsedMillis && due < stream.toMillis()) {
                send(stream, next[i]++, (long) due);
                due = stream.dueMillis(next[i]);
            }
        }
    }

    private void send(DemoPlan.Stream stream, long number, long dueMillis) {
        Instant enqueuedAt = Instant.ofEpochMilli(clock.epochMillis(dueMillis) - stream.oldByMillis());
        WorkItem item = new WorkItem(stream.tenant(), stream.idPrefix() + "-" + (number + 1), enqueuedAt, "", null,
                "text/plain", Map.of(), PAYLOAD.duplicate());
        for (String topic : topics) {
            producer.send(ItemBuilder.recordOf(topic, item), (stored, fault) -> {
                if (fault != null) {
                    failure.compareAndSet(null, fault);
                }
            });
        }
        sent.merge(stream.tenant(), 1L, Long::sum);
    }
}
