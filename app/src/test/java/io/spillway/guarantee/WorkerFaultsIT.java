package io.spillway.guarantee;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.item.Lane;
import io.spillway.core.policy.PolicyField;
import io.spillway.handler.Outcome;
import io.spillway.worker.Worker;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Guarantees of the worker after faults that its process survives. */
@Timeout(900) // Only against a hang.
class WorkerFaultsIT {
    @RegisterExtension
    final KafkaUnderTest kafka = new KafkaUnderTest();

    @TempDir
    private Path directory;

    @Test
    void each_item_is_done_once_while_workers_come_and_go_under_load() throws Exception {
        long seed = Long.getLong("spillway.test.seed", System.nanoTime());
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        RecordingHandler handler = new RecordingHandler(RecordingHandler::takePayloadMillis);
        try (DeliveryScene scene = scene(Map.of()).withRouter()) {
            List<String> ids = new ArrayList<>();
            Queue<Worker> workers = new ArrayDeque<>();
            workers.add(scene.startWorker("worker-0", handler));
            for (int change = 1; change <= 8; change++) {
                ids.addAll(scene.send("batch-" + change, 1_500, i -> Integer.toString(1 + random.nextInt(20))));
                if (workers.size() == 1 || workers.size() == 2 && random.nextBoolean()) {
                    workers.add(scene.startWorker("worker-" + change, handler));
                } else {
                    workers.remove().close();
                }
                awaitDoneAtLeast(handler, ids.size() - 1_000);
            }
            handler.awaitDone(ids);
            scene.awaitEmpty();

            assertThat(handler.breaches(ids)).as("seed %d", seed).isEmpty();
            assertThat(kafka.readAll(scene.topics.lane(Lane.DEAD_LETTER))).isEmpty();
        }
    }

    @ParameterizedTest(name = "that leaves its thread clean: {0}")
    @ValueSource(booleans = {false, true})
    void a_call_starts_uninterrupted_and_shares_its_thread_only_when_the_handler_leaves_it_clean(boolean clean)
            throws Exception {
        ThreadLocal<String> left = new ThreadLocal<>();
        Set<String> found = ConcurrentHashMap.newKeySet();
        Set<String> interrupted = ConcurrentHashMap.newKeySet();
        RecordingHandler handler = new RecordingHandler(clean, delivery -> {
            if (Thread.currentThread().isInterrupted()) {
                interrupted.add(delivery.id());
            }
            if (left.get() != null) {
                found.add(delivery.id());
            }
            left.set(delivery.id());
            Thread.currentThread().interrupt();
            return Outcome.done();
        });
        try (DeliveryScene scene = scene(Map.of("SPILLWAY_WORKER_SLOTS", "2")).withRouter()) {
            scene.startWorker("worker", handler);
            List<String> ids = scene.send("batch", 1_000, i -> "1");
            handler.awaitDone(ids);
            scene.awaitEmpty();

            assertThat(interrupted).isEmpty();
            assertThat(found.isEmpty()).as("a thread was reused: %s", found).isNotEqualTo(clean);
            assertThat(handler.breaches(ids)).isEmpty();
        }
    }

    @Test
    void a_hanging_call_occupies_only_its_slot_and_its_item_has_no_second_call() throws Exception {
        CountDownLatch release = new CountDownLatch(1);
        RecordingHandler handler = new RecordingHandler(delivery -> {
            if (delivery.id().equals("batch-7")) {
                awaitUninterruptibly(release);
            }
            return Outcome.done();
        });
        try (DeliveryScene scene = scene(Map.of("SPILLWAY_DEFAULTS_TIMEOUT", "100ms")).withRouter()) {
            Worker worker = scene.startWorker("worker", handler);
            List<String> ids = scene.send("batch", 5_000, i -> "1");
            List<String> others = ids.stream().filter(id -> !id.equals("batch-7")).toList();
            handler.awaitDone(others);
            // More items are done than a partition may have unfinished, and this one is still in its first call.
            assertThat(handler.calls("batch-7")).isEqualTo(1);
            assertThat(handler.inFlight()).isEqualTo(1);
            release.countDown();
            handler.awaitDone(ids);
            scene.awaitEmpty();

            assertThat(handler.breaches(ids)).isEmpty();
            worker.close();
        }
    }

    @Test
    void any_exception_of_a_handler_costs_one_attempt_of_one_item() throws Exception {
        RecordingHandler handler = new RecordingHandler(delivery -> {
            if (delivery.attempt() > 1) {
                return Outcome.done();
            }
            return switch (delivery.id()) {
                case "batch-10" -> throw new IOException("checked exception");
                case "batch-20" -> throw new IllegalStateException("runtime exception");
                case "batch-30" -> throw new LinkageError("missing class");
                case "batch-40" -> throw new StackOverflowError();
                case "batch-50" -> throw new AssertionError("failed assertion");
                case "batch-60" -> null;
                case "batch-70" -> {
                    Thread.currentThread().interrupt();
                    throw new InterruptedException("from the handler");
                }
                case "batch-80" -> throw new IllegalStateException() {
                    @Override
                    public String getMessage() {
                        throw new IllegalStateException("getMessage fails");
                    }
                };
                case "batch-90" -> throw new IllegalStateException() {
                    @Override
                    public String toString() {
                        return null;
                    }
                };
                default -> Outcome.done();
            };
        });
        List<String> failing = IntStream.rangeClosed(1, 9).mapToObj(i -> "batch-" + i * 10).toList();
        try (DeliveryScene scene = scene(Map.of(
                        "SPILLWAY_DEFAULTS_BACKOFF_BASE", "50ms", "SPILLWAY_DEFAULTS_BACKOFF_CAP", "100ms"))
                .withRouter()) {
            scene.startWorker("worker", handler);
            List<String> ids = scene.send("batch", 200, i -> "1");
            handler.awaitDone(ids);
            scene.awaitEmpty();

            assertThat(handler.breaches(ids)).isEmpty();
            assertThat(ids).allSatisfy(id -> assertThat(handler.calls(id)).isEqualTo(failing.contains(id) ? 2 : 1));
        }
    }

    @Test
    void items_that_fail_while_a_destination_is_down_are_done_after_its_recovery() throws Exception {
        RecordingHandler handler = new RecordingHandler(delivery -> Outcome.retry("down"));
        try (DeliveryScene scene = scene(Map.of(
                        "SPILLWAY_DEFAULTS_BACKOFF_BASE", "50ms", "SPILLWAY_DEFAULTS_BACKOFF_CAP", "500ms",
                        "SPILLWAY_DEFAULTS_ATTEMPTS", "100"))
                .withRouter()) {
            scene.startWorker("worker", handler);
            long startedNanos = System.nanoTime();
            List<String> ids = scene.send("batch", 300, i -> "1");
            while (ids.stream().anyMatch(id -> handler.calls(id) == 0) || handler.calls() < 300 + 10 * 10 + 10) {
                LockSupport.parkNanos(10_000_000);
            }
            // Ten tenants have a budget of ten retries each, and one more per second.
            long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - startedNanos) + 2;
            assertThat(handler.calls()).as("failed attempts of 300 items")
                    .isLessThanOrEqualTo((int) (300 + 10 * (10 + seconds)));
            handler.behave(delivery -> Outcome.done());
            handler.awaitDone(ids);

            assertThat(handler.breaches(ids)).isEmpty();
            assertThat(kafka.readAll(scene.topics.lane(Lane.DEAD_LETTER))).isEmpty();
        }
    }

    @Test
    void a_slow_tenant_stays_within_its_concurrency_and_other_tenants_continue() throws Exception {
        CountDownLatch release = new CountDownLatch(1);
        RecordingHandler slow = new RecordingHandler(delivery -> {
            release.await();
            return Outcome.done();
        });
        RecordingHandler quick = new RecordingHandler(delivery -> Outcome.done());
        RecordingHandler handler = new RecordingHandler(
                delivery -> delivery.tenant().equals("tenant-3") ? slow.handle(delivery) : quick.handle(delivery));
        try (DeliveryScene scene = scene(Map.of()).withRouter()) {
            scene.setPolicy("tenant-3", PolicyField.CONCURRENCY, "4");
            scene.startWorker("worker", handler);
            List<String> ids = scene.send("batch", 4_000, i -> "1");
            List<String> others = ids.stream().filter(id -> !id.endsWith("3")).toList();
            quick.awaitDone(others);
            assertThat(slow.inFlight()).isLessThanOrEqualTo(4);
            release.countDown();
            handler.awaitDone(ids);

            assertThat(handler.breaches(ids)).isEmpty();
        }
    }

    @Test
    void of_two_processes_with_one_worker_id_the_younger_ends_and_the_older_does_all_items() throws Exception {
        RecordingHandler handler = new RecordingHandler(delivery -> Outcome.done());
        try (DeliveryScene scene = scene(Map.of()).withRouter()) {
            Worker older = scene.startWorker("worker", handler);
            Worker younger = scene.startWorker("worker", handler);
            List<String> ids = new ArrayList<>();
            for (int batch = 0; younger.isRunning(); batch++) {
                ids.addAll(scene.send("batch-" + batch, 200, i -> "1"));
                // What the younger has not done when it ends waits until it is closed.
                while (younger.isRunning() && handler.doneCount() < ids.size() - 500) {
                    LockSupport.parkNanos(10_000_000);
                }
            }
            younger.close();
            handler.awaitDone(ids);
            scene.awaitEmpty();

            assertThat(older.isReady()).isTrue();
            assertThat(kafka.readAll(scene.topics.lane(Lane.DEAD_LETTER))).isEmpty();
        }
    }

    private DeliveryScene scene(Map<String, String> settings) {
        return new DeliveryScene(kafka.bootstrapServers(), kafka.prefix(), directory, settings);
    }

    /** A call is interrupted when it is late or its partition leaves, and may fail just then. */
    @Test
    void a_worker_whose_memory_runs_out_in_an_interrupted_call_ends_and_says_so() throws Exception {
        try (DeliveryScene scene = scene(Map.of()).withRouter()) {
            Worker worker = scene.startWorker("worker", delivery -> {
                Thread.currentThread().interrupt();
                throw new OutOfMemoryError("as requested");
            });
            scene.send("batch", 1, i -> "1");

            assertThat(worker.awaitEnd()).contains("OutOfMemoryError: as requested");
        }
    }

    private static void awaitDoneAtLeast(RecordingHandler handler, int count) {
        while (handler.doneCount() < count) {
            LockSupport.parkNanos(10_000_000);
        }
    }

    private static void awaitUninterruptibly(CountDownLatch release) {
        while (release.getCount() > 0) {
            LockSupport.parkNanos(1_000_000);
            Thread.interrupted();
        }
    }
}
