package io.spillway.guarantee;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.MeterRegistry;
import io.spillway.handler.Delivery;
import io.spillway.handler.Outcome;
import io.spillway.kafka.codec.RecordCodec;
import io.spillway.kafka.topics.KafkaClients;
import io.spillway.schema.WorkItem;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Overload protection without rates: a slow worker, one flooding tenant and three quiet tenants. */
class ProtectionIT {
    private static final int MAX_ROUNDS = 30;

    @RegisterExtension
    final KafkaUnderTest kafka = new KafkaUnderTest();

    @TempDir
    private Path directory;

    private final RecordCodec<WorkItem> codec = new RecordCodec<>(new WorkItem());
    private final List<String> ids = new ArrayList<>();
    private final RecordingHandler handler = new RecordingHandler(this::handle);
    /** Lane reason by item id; empty where none was set. */
    private final Map<String, String> reasons = new ConcurrentHashMap<>();

    @Test
    @Timeout(900)
    void the_excess_share_of_a_flood_goes_to_overflow_and_quiet_tenants_stay_in_hot() throws Exception {
        try (DeliveryScene scene = new DeliveryScene(kafka.bootstrapServers(), kafka.prefix(), directory,
                Map.of("SPILLWAY_WORKER_SLOTS", "4", "SPILLWAY_DEFAULTS_AGED_AFTER", "1h"))) {
            scene.withRouter();
            scene.startWorker("worker", handler);
            // The flood is repeated until the first load reports have reached the router.
            for (int round = 0; round < MAX_ROUNDS && sidelined(scene) == 0; round++) {
                send(scene, round, 150);
                handler.awaitDone(quietIds());
            }
            send(scene, MAX_ROUNDS, 500);
            handler.awaitDone(ids);
            scene.awaitEmpty();

            assertThat(handler.breaches(ids)).isEmpty();
            assertThat(reasons.entrySet()).filteredOn(each -> each.getValue().equals("share"))
                    .as("only items of the flood").isNotEmpty()
                    .allSatisfy(each -> assertThat(each.getKey()).startsWith("noisy"));
            assertThat(quietIds()).as("the router sent them to hot")
                    .allSatisfy(id -> assertThat(reasons.get(id)).isIn("", "excess"));
        }
    }

    /** What waits behind the backlog of its own tenant, and what does not. */
    @Test
    @Timeout(900)
    void an_urgent_item_is_attempted_before_the_backlog_of_its_tenant() throws Exception {
        int backlog = Integer.getInteger("spillway.test.backlog", 2_000);
        try (DeliveryScene scene = new DeliveryScene(kafka.bootstrapServers(), kafka.prefix(), directory, Map.of(
                "SPILLWAY_WORKER_SLOTS", backlog > 2_000 ? "50" : "4", "SPILLWAY_DEFAULTS_AGED_AFTER", "1h"))) {
            scene.withRouter();
            List<String> order = Collections.synchronizedList(new ArrayList<>());
            Map<String, Long> endedNanos = new ConcurrentHashMap<>();
            handler.behave(delivery -> {
                order.add(delivery.id());
                endedNanos.put(delivery.id(), System.nanoTime());
                return RecordingHandler.takePayloadMillis(delivery);
            });
            scene.startWorker("worker", handler);
            ids.addAll(scene.send("noisy", backlog, i -> "acme", i -> "20", Map.of()));
            long sentNanos = System.nanoTime();
            ids.addAll(scene.send("calm", 1, i -> "acme", i -> "20", Map.of()));
            ids.addAll(scene.send("urgent", 1, i -> "acme", i -> "20", Map.of("spillway-priority", "9")));
            handler.awaitDone(ids);

            System.out.printf("behind %d items: an urgent item waited %d ms, a calm one %d ms%n", backlog,
                    (endedNanos.get("urgent-0") - sentNanos) / 1_000_000,
                    (endedNanos.get("calm-0") - sentNanos) / 1_000_000);
            assertThat(order.indexOf("urgent-0")).isLessThan(order.indexOf("calm-0"));
            scene.awaitEmpty();
            assertThat(handler.breaches(ids)).isEmpty();
        }
    }

    /** Records the lane reason here, because finished items are purged from the lanes. */
    private Outcome handle(Delivery delivery) {
        reasons.put(delivery.id(), delivery.header("spillway-lane-reason").orElse(""));
        return RecordingHandler.takePayloadMillis(delivery);
    }

    private static double sidelined(DeliveryScene scene) {
        MeterRegistry metrics = scene.routerMetrics();
        return metrics.get("spillway.routed").tag("lane", "overflow").tag("reason", "share").counter().count();
    }

    private void send(DeliveryScene scene, int round, int flood) {
        try (Producer<byte[], byte[]> producer = new KafkaClients(scene.configuration.queue()).producer()) {
            for (int i = 0; i < 3; i++) {
                producer.send(item(scene, "quiet-" + i, "quiet-" + i + "-" + round));
            }
            for (int i = 0; i < flood; i++) {
                producer.send(item(scene, "noisy", "noisy-" + round + "-" + i));
            }
        }
    }

    private ProducerRecord<byte[], byte[]> item(DeliveryScene scene, String tenant, String id) {
        ids.add(id);
        return new ProducerRecord<>(scene.topics.ingress(), bytes(tenant), codec.encode(new WorkItem(
                tenant, id, Instant.ofEpochMilli(System.currentTimeMillis()), "", null, "text/plain", Map.of(),
                ByteBuffer.wrap(bytes("20")))));
    }

    private List<String> quietIds() {
        return ids.stream().filter(id -> id.startsWith("quiet")).toList();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
