package io.spillway.bench.tenants;

import io.spillway.bench.support.BenchItems;
import io.spillway.bench.support.ClientSettings;
import io.spillway.bench.support.Scene;
import io.spillway.core.item.ItemState;
import io.spillway.core.ledger.Depth;
import io.spillway.core.ledger.FlowRates;
import io.spillway.core.ledger.TenantBalance;
import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.PolicySettings;
import io.spillway.core.ratelimit.GrowingLimit;
import io.spillway.kafka.codec.ItemHeaders;
import io.spillway.kafka.codec.Origin;
import io.spillway.kafka.view.Depths;
import io.spillway.kafka.view.TenantPolicies;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;

/** Writer of what a queue with many tenants has in its topics, without the time that it takes to become so. */
final class ManyTenants {
    /** Every tenth tenant has an item that waits in the hot lane. */
    private static final int WAITING = 10;
    private static final int DONE = 10;

    private ManyTenants() {}

    /** Writes a policy of its own and a balance for each tenant, and the items that wait. */
    static void write(Scene scene, int tenants) {
        BenchItems items = new BenchItems(tenants);
        long nowMillis = System.currentTimeMillis();
        try (Writer writer = new Writer(scene)) {
            for (int number = 0; number < tenants; number++) {
                String tenant = BenchItems.tenant(number);
                byte[] key = tenant.getBytes(StandardCharsets.US_ASCII);
                int waiting = waiting(number);
                writer.send(new ProducerRecord<>(
                        scene.topics().policies(), key, TenantPolicies.encode(tenant, policy(number))));
                writer.send(new ProducerRecord<>(
                        scene.topics().depths(), key, Depths.encode(tenant, depth(waiting, nowMillis))));
                if (waiting > 0) {
                    BenchItems.Item item = items.of(number, number, Instant.ofEpochMilli(nowMillis), 0);
                    ProducerRecord<byte[], byte[]> record =
                            new ProducerRecord<>(scene.output(), item.key(), item.value());
                    record.headers().add(ItemHeaders.ORIGIN, new Origin(scene.input(), 0, number).bytes());
                    writer.send(record);
                }
            }
        }
    }

    /** Sends an item of each tenant. */
    static void send(Scene scene, int tenants) {
        BenchItems items = new BenchItems(tenants);
        try (Writer writer = new Writer(scene)) {
            for (int number = 0; number < tenants; number++) {
                BenchItems.Item item = items.of(number, number, Instant.now(), 0);
                writer.send(new ProducerRecord<>(scene.input(), item.key(), item.value()));
            }
        }
    }

    /** Producer that fails at its end if a record was not stored. */
    private static final class Writer implements AutoCloseable {
        private final AtomicReference<Exception> failure = new AtomicReference<>();
        private final KafkaProducer<byte[], byte[]> producer;

        Writer(Scene scene) {
            this.producer = new KafkaProducer<>(ClientSettings.bytes(scene, Map.of(
                    ProducerConfig.ACKS_CONFIG, "all", ProducerConfig.LINGER_MS_CONFIG, 20,
                    ProducerConfig.BATCH_SIZE_CONFIG, 256 * 1024)));
        }

        void send(ProducerRecord<byte[], byte[]> record) {
            producer.send(record, (stored, refused) -> {
                if (refused != null) {
                    failure.compareAndSet(null, refused);
                }
            });
        }

        @Override
        public void close() {
            producer.close();
            if (failure.get() != null) {
                throw new IllegalStateException("a record was not written", failure.get());
            }
        }
    }

    /** Three fields, and every policy is another one. */
    static PolicySettings policy(int number) {
        return PolicySettings.NONE_SET
                .with(PolicyField.RATE, Integer.toString(1 + number))
                .with(PolicyField.CONCURRENCY, "10")
                .with(PolicyField.WEIGHT, "2");
    }

    static Depth depth(int waiting, long nowMillis) {
        long[] entered = new long[ItemState.COUNT];
        long[] left = new long[ItemState.COUNT];
        left[ItemState.OUTSIDE.ordinal()] = DONE + waiting;
        entered[ItemState.HOT.ordinal()] = DONE + waiting;
        left[ItemState.HOT.ordinal()] = DONE;
        entered[ItemState.DONE.ordinal()] = DONE;
        return new Depth(
                TenantBalance.of(entered, left), new FlowRates(1, 1, nowMillis), GrowingLimit.NONE, 0);
    }

    static int waiting(int number) {
        return number % WAITING == 0 ? 1 : 0;
    }
}
