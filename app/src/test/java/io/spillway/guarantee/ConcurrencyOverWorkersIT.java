package io.spillway.guarantee;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.handler.Delivery;
import io.spillway.handler.Outcome;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Concurrency of tenants over two workers on a real Kafka. */
@Timeout(900) // Only against a hang.
@Tag("alone") // A worker without CPU for 3 s counts as gone.
@Tag("long")
class ConcurrencyOverWorkersIT {
    private static final int CONCURRENCY = 4;
    /** In which the two learn of each other's demand, and parts shift. */
    private static final long SETTLING_NANOS = TimeUnit.SECONDS.toNanos(3);

    @RegisterExtension
    final KafkaUnderTest kafka = new KafkaUnderTest();

    @TempDir
    private Path directory;

    private final Map<String, AtomicInteger> running = new ConcurrentHashMap<>();
    private final ConcurrentLinkedQueue<Start> starts = new ConcurrentLinkedQueue<>();

    /** Start of an item, with the items of its tenant that run then. */
    private record Start(long nanos, int running) {}

    @Test
    void two_workers_together_keep_the_concurrency_of_each_tenant_and_all_items_are_done() throws Exception {
        RecordingHandler handler = new RecordingHandler(this::handle);
        try (DeliveryScene scene = new DeliveryScene(kafka.bootstrapServers(), kafka.prefix(), directory, Map.of(
                "SPILLWAY_WORKER_SLOTS", "100",
                "SPILLWAY_DEFAULTS_CONCURRENCY", Integer.toString(CONCURRENCY))).withRouter()) {
            scene.startWorker("worker-1", handler);
            scene.startWorker("worker-2", handler);
            List<String> items = scene.send("item", 10_000, i -> "x");
            handler.awaitDone(items);
            scene.awaitEmpty();

            assertThat(starts).hasSizeGreaterThanOrEqualTo(items.size())
                    .extracting(Start::running).contains(CONCURRENCY).allMatch(count -> count <= 2 * CONCURRENCY);
            long settledNanos = starts.element().nanos() + SETTLING_NANOS;
            List<Start> settled = starts.stream().filter(start -> start.nanos() >= settledNanos).toList();
            System.out.println("beyond the limit: " + beyond(starts) + " of " + starts.size() + " starts, "
                    + beyond(settled) + " of " + settled.size() + " later than 3 s");
            // Parts that shift may overlap for a moment.
            assertThat(settled).hasSizeGreaterThan(items.size() / 2);
            assertThat(beyond(settled) / (double) settled.size()).isLessThan(0.02);
        }
    }

    private static long beyond(Collection<Start> starts) {
        return starts.stream().filter(start -> start.running() > CONCURRENCY).count();
    }

    private Outcome handle(Delivery delivery) throws InterruptedException {
        AtomicInteger count = running.computeIfAbsent(delivery.tenant(), absent -> new AtomicInteger());
        starts.add(new Start(System.nanoTime(), count.incrementAndGet()));
        try {
            Thread.sleep(50);
        } finally {
            count.decrementAndGet();
        }
        return Outcome.done();
    }
}
