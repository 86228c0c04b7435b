package io.spillway.guarantee;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.item.Lane;
import io.spillway.handler.BatchHandler;
import io.spillway.handler.Delivery;
import io.spillway.handler.Outcome;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A handler that takes several items in one call, on a real Kafka. */
@Timeout(900) // Only against a hang.
class BatchHandlerIT {
    private static final String POISON = "poison";
    private static final long FIXED_COST_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    @RegisterExtension
    final KafkaUnderTest kafka = new KafkaUnderTest();

    @TempDir
    private Path directory;

    private final Map<String, Integer> done = new ConcurrentHashMap<>();
    private final Collection<Integer> callItems = new ConcurrentLinkedQueue<>();
    private final AtomicLong firstNanos = new AtomicLong(Long.MAX_VALUE);
    private final AtomicLong lastNanos = new AtomicLong();

    /** Handler with calls of at most so many items. */
    private abstract class Recording implements BatchHandler {
        private final int most;

        Recording(int most) {
            this.most = most;
        }

        @Override
        public int maxItems(String workload) {
            return most;
        }

        List<Outcome> done(List<Delivery> deliveries) {
            callItems.add(deliveries.size());
            deliveries.forEach(delivery -> done.merge(delivery.id(), 1, Integer::sum));
            return Collections.nCopies(deliveries.size(), Outcome.done());
        }
    }

    /** As a bulk insert, which one bad row fails, and which says only of a single row that it is bad. */
    private final class Poisoned extends Recording {
        Poisoned() {
            super(20);
        }

        @Override
        public List<Outcome> handleAll(List<Delivery> deliveries) {
            boolean isPoisoned = deliveries.stream().anyMatch(delivery ->
                    new String(delivery.payload(), StandardCharsets.UTF_8).equals(POISON));
            if (isPoisoned && deliveries.size() == 1) {
                return List.of(Outcome.dead("poisoned"));
            }
            if (isPoisoned) {
                throw new IllegalStateException("one of " + deliveries.size() + " is poisoned");
            }
            return done(deliveries);
        }
    }

    /** A call that costs 5 ms, whatever it has to do. */
    private final class Fixed extends Recording {
        Fixed(int most) {
            super(most);
        }

        @Override
        public List<Outcome> handleAll(List<Delivery> deliveries) {
            firstNanos.accumulateAndGet(System.nanoTime(), Math::min);
            LockSupport.parkNanos(FIXED_COST_NANOS);
            List<Outcome> outcomes = done(deliveries);
            lastNanos.accumulateAndGet(System.nanoTime(), Math::max);
            return outcomes;
        }
    }

    @Test
    void a_poisoned_item_is_a_dead_letter_and_those_in_one_call_with_it_are_done_once() throws Exception {
        try (DeliveryScene scene = new DeliveryScene(kafka.bootstrapServers(), kafka.prefix(), directory,
                Map.of("SPILLWAY_DEFAULTS_BACKOFF_BASE", "100ms", "SPILLWAY_WORKER_SLOTS", "4")).withRouter()) {
            List<String> ids = scene.send(
                    "item", 3_000, i -> "tenant-" + i % 3, i -> i % 10 == 7 ? POISON : "row", Map.of());
            scene.awaitRouted();
            scene.startWorker("worker", new Poisoned());
            scene.awaitEmpty();

            List<String> healthy = new ArrayList<>(ids);
            healthy.removeIf(id -> id.endsWith("7"));
            assertThat(done).containsOnlyKeys(healthy);
            assertThat(done.values()).containsOnly(1);
            assertThat(kafka.readAll(scene.topics.lane(Lane.DEAD_LETTER))).hasSize(300);
            assertThat(callItems).as("calls without a poisoned item").anyMatch(items -> items > 1);
            scene.assertBalance(2_700);
        }
    }

    @ParameterizedTest(name = "{0} items in a call")
    @CsvSource({"1, 10000", "10, 50000", "100, 200000"})
    @Tag("alone")
    @Tag("long")
    void a_fixed_cost_is_paid_for_a_call(int most, int items) throws Exception {
        try (DeliveryScene scene = new DeliveryScene(kafka.bootstrapServers(), kafka.prefix(), directory,
                Map.of("SPILLWAY_WORKER_SLOTS", "4")).withRouter()) {
            scene.send("item", items, i -> "tenant-" + i % 10, i -> "row", Map.of());
            scene.awaitRouted();
            scene.startWorker("worker", new Fixed(most));
            scene.awaitEmpty();

            double seconds = (lastNanos.get() - firstNanos.get()) / 1e9;
            System.out.printf("%d items in a call, 5 ms a call, 4 slots: %.0f items/s (%d in %.1f s, %.1f in a call)%n",
                    most, items / seconds, items, seconds, (double) items / callItems.size());
            assertThat(done).hasSize(items);
        }
    }
}
