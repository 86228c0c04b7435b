package io.spillway.cli;

import io.spillway.schema.WorkItem;
import io.spillway.topic.RecordCodec;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;

/** The tenants of the demo and what they send. Owned by the demo's thread. */
final class DemoTraffic {
    static final String NOISY = "noisy";
    static final String SWEPT = "swept";
    private static final String OLD = "old";
    private static final String BROKEN = "broken";
    private static final int QUIET_TENANTS = 3;
    private static final int TICKS = 20;
    private static final long TICK_NANOS = TimeUnit.SECONDS.toNanos(1) / TICKS;

    private final Producer<byte[], byte[]> producer;
    private final String topic;
    private final InstantSource clock;
    private final RecordCodec<WorkItem> codec = new RecordCodec<>(new WorkItem());
    private final Map<String, Long> sent = new LinkedHashMap<>();

    DemoTraffic(Producer<byte[], byte[]> producer, String topic, InstantSource clock) {
        this.producer = producer;
        this.topic = topic;
        this.clock = clock;
    }

    /** Items sent so far, by tenant. */
    Map<String, Long> sent() {
        return sent;
    }

    /** Sends one second's worth, spread over the second. The flood lasts from the third second to the eighth. */
    void sendForOneSecond(int second) {
        long startNanos = System.nanoTime();
        for (int tick = 0; tick < TICKS; tick++) {
            for (int quiet = 1; quiet <= QUIET_TENANTS; quiet++) {
                send("quiet-" + quiet, 1, 0);
            }
            send(NOISY, second >= 3 && second <= 8 ? 100 : 1, 0);
            if (tick % 4 == 0) {
                send(OLD, 1, TimeUnit.MINUTES.toMillis(10));
                send(SWEPT, 1, TimeUnit.MINUTES.toMillis(2));
                sendNonsense();
            }
            LockSupport.parkNanos(startNanos + (tick + 1) * TICK_NANOS - System.nanoTime());
        }
        producer.flush();
    }

    private void send(String tenant, int count, long ageMillis) {
        for (int i = 0; i < count; i++) {
            long number = sent.merge(tenant, 1L, Long::sum);
            WorkItem item = new WorkItem(tenant, tenant + "-" + number, Instant.ofEpochMilli(clock.millis() - ageMillis), "",
                    null, "text/plain", Map.of(), ByteBuffer.wrap("hello".getBytes(StandardCharsets.UTF_8)));
            producer.send(new ProducerRecord<>(topic, tenant.getBytes(StandardCharsets.US_ASCII), codec.encode(item)));
        }
    }

    private void sendNonsense() {
        sent.merge(BROKEN, 1L, Long::sum);
        producer.send(new ProducerRecord<>(
                topic, BROKEN.getBytes(StandardCharsets.US_ASCII), "no item".getBytes(StandardCharsets.US_ASCII)));
    }
}
