package io.spillway.bench.support;

import io.spillway.kafka.codec.ItemHeaders;
import io.spillway.kafka.codec.Origin;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * The items of a round, written in one transaction that stays open: they lie in the input, and nobody who reads what
 * is committed sees them. {@link #release} commits it when the contender has started and its threads have their
 * partitions, and the whole preload is there at once.
 */
public final class Preload implements AutoCloseable {
    /** The longest that a broker allows by default; a round's start takes some seconds. */
    private static final int TRANSACTION_TIMEOUT_MILLIS = 900_000;

    private final KafkaProducer<byte[], byte[]> producer;
    private final AtomicLongArray ends = new AtomicLongArray(Scene.PARTITIONS);

    private Preload(KafkaProducer<byte[], byte[]> producer) {
        this.producer = producer;
    }

    /** Writes them to the input, as producers do. */
    public static Preload write(Scene scene, int items, int tenants) {
        return write(scene, scene.input(), items, tenants, false, false);
    }

    /** Writes them to the input with an order key, one for each tenant. */
    public static Preload writeOrdered(Scene scene, int items, int tenants) {
        return write(scene, scene.input(), items, tenants, false, true);
    }

    /** Writes them to hot, as the router does: key and value as they came, and where each entered. */
    public static Preload writeRouted(Scene scene, int items, int tenants) {
        return write(scene, scene.output(), items, tenants, true, false);
    }

    private static Preload write(
            Scene scene, String topic, int items, int tenants, boolean routed, boolean ordered) {
        Map<String, Object> more = new HashMap<>();
        more.put(ProducerConfig.ACKS_CONFIG, "all");
        more.put(ProducerConfig.BATCH_SIZE_CONFIG, 256 * 1024);
        more.put(ProducerConfig.LINGER_MS_CONFIG, 20);
        more.put(ProducerConfig.TRANSACTIONAL_ID_CONFIG, scene.prefix() + ".preload");
        more.put(ProducerConfig.TRANSACTION_TIMEOUT_CONFIG, TRANSACTION_TIMEOUT_MILLIS);
        Preload preload = new Preload(new KafkaProducer<>(ClientSettings.bytes(scene, more)));
        preload.send(topic, items, new BenchItems(tenants), routed ? scene.input() : "", ordered);
        return preload;
    }

    /** Makes them readable. */
    public void release() {
        producer.commitTransaction();
    }

    /** Offset behind the last item of a partition. */
    long end(int partition) {
        return ends.get(partition);
    }

    @Override
    public void close() {
        producer.close();
    }

    private void send(String topic, int items, BenchItems source, String origin, boolean ordered) {
        AtomicReference<Exception> failure = new AtomicReference<>();
        producer.initTransactions();
        producer.beginTransaction();
        Instant now = Instant.now();
        for (int i = 0; i < items; i++) {
            BenchItems.Item item = source.next(now, i);
            ProducerRecord<byte[], byte[]> record = item.to(topic, ordered);
            if (!origin.isEmpty()) {
                record.headers().add(ItemHeaders.ORIGIN, new Origin(origin, 0, i).bytes());
            }
            producer.send(record, (stored, refused) -> {
                if (refused == null) {
                    ends.accumulateAndGet(stored.partition(), stored.offset() + 1, Math::max);
                } else {
                    failure.compareAndSet(null, refused);
                }
            });
        }
        producer.flush();
        if (failure.get() != null) {
            throw new IllegalStateException("the preload failed", failure.get());
        }
    }
}
