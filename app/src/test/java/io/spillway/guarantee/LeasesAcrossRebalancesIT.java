package io.spillway.guarantee;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.Repetitions;
import io.spillway.handler.Outcome;
import io.spillway.worker.Worker;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Attempts that last longer than their workers have the partitions, on a real Kafka. */
@Timeout(1_800) // Only against a hang.
class LeasesAcrossRebalancesIT {
    private static final int WORKERS = 6;
    /** Longer than a session, a drain and a rebalance. */
    private static final int LONG_MILLIS = Integer.getInteger("spillway.test.attemptMillis", 12_000);

    @RegisterExtension
    final KafkaUnderTest kafka = new KafkaUnderTest();

    @TempDir
    private Path directory;

    private final Set<String> cut = ConcurrentHashMap.newKeySet();
    private final RecordingHandler handler = new RecordingHandler(delivery -> {
        try {
            Thread.sleep(Long.parseLong(new String(delivery.payload(), StandardCharsets.UTF_8)));
        } catch (InterruptedException e) {
            cut.add(delivery.id());
            throw e;
        }
        return Outcome.done();
    });

    @Tag("long")
    @Test
    void rebalances_and_a_rolling_restart_under_load_cut_no_long_attempt_and_repeat_none() throws Exception {
        try (DeliveryScene scene = new DeliveryScene(kafka.bootstrapServers(), kafka.prefix(), directory, Map.of(
                "SPILLWAY_TOPICS_PARTITIONS", "12", "SPILLWAY_DEFAULTS_TIMEOUT", "10m")).withRouter()) {
            Map<String, Worker> workers = new LinkedHashMap<>();
            for (int i = 0; i < WORKERS; i++) {
                workers.put("worker-" + i, scene.startWorker("worker-" + i, handler));
            }
            List<String> ids = new ArrayList<>(scene.send("first", 60, i -> Integer.toString(LONG_MILLIS)));
            awaitCalls(60);
            for (int i = 0; i < 3; i++) {
                ids.addAll(scene.send("join-" + i, 40, each -> each % 4 == 0 ? Integer.toString(LONG_MILLIS) : "5"));
                scene.startWorker("more-" + i, handler);
                awaitCalls(ids.size());
            }
            for (String name : List.copyOf(workers.keySet())) {
                ids.addAll(scene.send("for-" + name, 40, i -> i % 4 == 0 ? Integer.toString(LONG_MILLIS) : "5"));
                awaitCalls(ids.size());
                long closedNanos = System.nanoTime();
                workers.remove(name).close();
                workers.put(name, scene.startWorker(name, handler));
                System.out.println(name + " restarted in "
                        + TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - closedNanos) + " ms with "
                        + handler.inFlight() + " attempts in the fleet");
            }
            handler.awaitDone(ids);
            scene.awaitEmpty();

            assertThat(cut).isEmpty();
            assertThat(handler.breaches(ids)).isEmpty();
            assertThat(handler.calls()).isEqualTo(ids.size());
            scene.assertBalance(ids.size());
            System.out.println("claims settled: " + scene.routerMetrics().get("spillway.delay.claims")
                    .tag("result", "done").counter().count());
        }
    }

    @Tag("long")
    @Test
    void no_attempt_starts_while_a_lease_holds_though_workers_are_suspended_and_killed() throws Exception {
        String effects = kafka.createTopic("effects", 1);
        int leaseMillis = 3 * LONG_MILLIS;
        try (DeliveryScene scene = new DeliveryScene(kafka.bootstrapServers(), kafka.prefix(), directory, Map.of(
                "SPILLWAY_HANDLER_TYPE", "class", "SPILLWAY_HANDLER_CLASS", LeaseHandler.class.getName(),
                "SPILLWAY_DEFAULTS_TIMEOUT", leaseMillis + "ms")).withRouter()) {
            Map<String, String> environment = EffectHandler.environment(scene, effects, Map.of());
            List<SpillwayProcess> workers = new ArrayList<>();
            try {
                for (int i = 0; i < 3; i++) {
                    workers.add(start(environment, "worker-" + i));
                }
                List<String> ids = new ArrayList<>();
                int rounds = Repetitions.of(1, 2);
                for (int round = 0; round < rounds; round++) {
                    ids.addAll(scene.send("round-" + round, 45, i -> Integer.toString(LONG_MILLIS)));
                    TimeUnit.MILLISECONDS.sleep(LONG_MILLIS / 2);
                    workers.get(0).signal("STOP");
                    workers.get(1).kill();
                    workers.set(1, start(environment, "worker-1"));
                    // The suspended one wakes when its leases have ended, and others have attempted its items.
                    TimeUnit.MILLISECONDS.sleep(leaseMillis + LONG_MILLIS);
                    workers.get(0).signal("CONT");
                    ids.addAll(scene.send("after-" + round, 45, i -> "5"));
                    scene.awaitEmpty();
                }
                assertThat(overlaps(effects, ids)).as(workers.get(0).log() + workers.get(2).log()).isEmpty();
                assertThat(workers.get(0).isAlive()).as(workers.get(0).log()).isTrue();
                scene.assertBalance(ids.size());
            } finally {
                workers.forEach(SpillwayProcess::close);
            }
        }
    }

    private SpillwayProcess start(Map<String, String> environment, String name) {
        return SpillwayProcess.start(directory.resolve(name), environment, "--roles", "worker");
    }

    /** Returns a line for each attempt that began while an earlier one ran in its lease. */
    private List<String> overlaps(String effects, List<String> ids) {
        List<String> lines = kafka.readAll(effects).stream()
                .map(record -> new String(record.value(), StandardCharsets.UTF_8).strip()).toList();
        List<String> begun = lines.stream().filter(line -> line.startsWith(">"))
                .map(line -> line.substring(line.indexOf('/') + 1).split(" ")[0]).toList();
        assertThat(Set.copyOf(begun)).containsExactlyInAnyOrderElementsOf(ids);
        List<String> overlaps = Leases.overlaps(lines);
        System.out.println(ids.size() + " items, " + (begun.size() - ids.size()) + " attempts repeated, "
                + overlaps.size() + " overlaps");
        return overlaps;
    }

    private void awaitCalls(int count) {
        while (handler.calls() < count) {
            LockSupport.parkNanos(10_000_000);
        }
    }
}
