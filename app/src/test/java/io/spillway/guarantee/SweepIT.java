package io.spillway.guarantee;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.policy.PolicyField;
import io.spillway.core.routing.Sweep;
import io.spillway.handler.Outcome;
import io.spillway.kafka.topics.KafkaClients;
import io.spillway.kafka.view.SweepTarget;
import io.spillway.kafka.view.Sweeps;
import io.spillway.producer.ItemBuilder;
import io.spillway.schema.WorkItem;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CountDownLatch;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Sweeps, cancels and ages of items that wait for a real worker, from producers whose clocks are wrong by an hour. */
@Timeout(900) // Only against a hang.
class SweepIT {
    private static final long HOUR_MILLIS = 3_600_000;
    private static final Map<String, Long> PRODUCERS =
            Map.of("slow", -HOUR_MILLIS, "right", 0L, "fast", HOUR_MILLIS);
    private static final int ITEMS = 5;

    @RegisterExtension
    final KafkaUnderTest kafka = new KafkaUnderTest();

    @TempDir
    private Path directory;

    private final CountDownLatch blocked = new CountDownLatch(1);
    private final CountDownLatch release = new CountDownLatch(1);
    /** Lane and id of each item that was handled. */
    private final Set<String> handled = new ConcurrentSkipListSet<>();

    @Test
    void a_sweep_drops_what_entered_before_it_and_nothing_else_whatever_the_clocks_of_producers_say()
            throws Exception {
        try (DeliveryScene scene = sceneWithBlockedWorker()) {
            send(scene, "acme", "before");
            // The broker is on this machine, so one millisecond is more than its clock differs.
            long startMillis = awaitRouted(scene) + 1;
            send(scene, "acme", "after");
            awaitRouted(scene);
            scene.mark(new Sweeps.Mark(SweepTarget.of("acme"), "nightly", new Sweep(startMillis, startMillis)));
            send(scene, "acme", "later");

            release.countDown();
            scene.awaitEmpty();

            assertThat(handledIds()).containsExactlyInAnyOrderElementsOf(ids("after", "later"));
        }
    }

    @Test
    void waiting_items_are_cancelled_dropped_at_their_time_to_live_and_moved_to_aged() throws Exception {
        try (DeliveryScene scene = sceneWithBlockedWorker()) {
            for (String tenant : List.of("old", "dead", "gone", "kept")) {
                send(scene, tenant, tenant);
            }
            long beforeMillis = awaitRouted(scene) + 1;
            scene.setPolicy("old", PolicyField.AGED_AFTER, "1ms");
            scene.setPolicy("dead", PolicyField.TTL, "1ms");
            scene.mark(new Sweeps.Mark(
                    new SweepTarget(true, "gone", "", ""), "", new Sweep(beforeMillis, beforeMillis)));
            send(scene, "gone", "again");

            release.countDown();
            scene.awaitEmpty();

            assertThat(handledIds()).containsExactlyInAnyOrderElementsOf(ids("old", "kept", "again"));
            assertThat(handled).filteredOn(item -> item.contains("old"))
                    .allSatisfy(item -> assertThat(item).startsWith("aged"));
        }
    }

    /** Returns a queue whose only slot is taken until {@link #release}. */
    private DeliveryScene sceneWithBlockedWorker() throws Exception {
        DeliveryScene scene = new DeliveryScene(kafka.bootstrapServers(), kafka.prefix(), directory, Map.of(
                "SPILLWAY_WORKER_SLOTS", "1", "SPILLWAY_DEFAULTS_TIMEOUT", "10m",
                "SPILLWAY_DEFAULTS_SWEEPABLE", "true", "SPILLWAY_DEFAULTS_SWEEP_MARGIN", "0s")).withRouter();
        scene.startWorker("worker-1", delivery -> {
            if (delivery.id().equals("blocker")) {
                blocked.countDown();
                release.await();
            } else {
                handled.add(delivery.lane() + " " + delivery.id());
            }
            return Outcome.done();
        });
        try (Producer<byte[], byte[]> producer = new KafkaClients(scene.configuration.queue()).producer()) {
            send(scene, producer, "blocker", "blocker", 0);
        }
        blocked.await();
        return scene;
    }

    private static void send(DeliveryScene scene, String tenant, String prefix) throws Exception {
        try (Producer<byte[], byte[]> producer = new KafkaClients(scene.configuration.queue()).producer()) {
            for (Map.Entry<String, Long> each : PRODUCERS.entrySet()) {
                for (int i = 0; i < ITEMS; i++) {
                    send(scene, producer, tenant, prefix + "-" + each.getKey() + "-" + i, each.getValue());
                }
            }
        }
    }

    private static RecordMetadata send(
            DeliveryScene scene, Producer<byte[], byte[]> producer, String tenant, String id, long clockAheadMillis)
            throws Exception {
        WorkItem item = new WorkItem(tenant, id, Instant.ofEpochMilli(System.currentTimeMillis() + clockAheadMillis),
                "", null, "text/plain", Map.of(), ByteBuffer.allocate(1));
        RecordMetadata stored = producer.send(ItemBuilder.recordOf(scene.topics.ingress(), item)).get();
        assertThat(stored.timestamp()).as("the broker's time, not the producer's")
                .isBetween(System.currentTimeMillis() - 60_000, System.currentTimeMillis());
        return stored;
    }

    /** Waits until all sent items are in a lane, and returns the time. */
    private static long awaitRouted(DeliveryScene scene) {
        scene.awaitRouted();
        return System.currentTimeMillis();
    }

    private List<String> handledIds() {
        return handled.stream().map(item -> item.substring(item.indexOf(' ') + 1)).toList();
    }

    private static List<String> ids(String... prefixes) {
        List<String> ids = new ArrayList<>();
        for (String prefix : prefixes) {
            PRODUCERS.keySet().forEach(producer -> {
                for (int i = 0; i < ITEMS; i++) {
                    ids.add(prefix + "-" + producer + "-" + i);
                }
            });
        }
        return ids;
    }
}
