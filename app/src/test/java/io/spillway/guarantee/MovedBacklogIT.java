package io.spillway.guarantee;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.item.Lane;
import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.PolicySettings;
import io.spillway.handler.Outcome;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** A backlog that moves to the partitions of its tenant, on a real Kafka. */
@Timeout(3_600) // Only against a hang.
class MovedBacklogIT {
    private static final int ITEMS = Integer.getInteger("spillway.test.backlog", 20_000);
    private static final String TENANT = "acme";

    @RegisterExtension
    final KafkaUnderTest kafka = new KafkaUnderTest();

    @TempDir
    private Path directory;

    private final RecordingHandler handler = new RecordingHandler(delivery -> Outcome.done());

    /** The worker that moves has one slot, which the first item keeps. */
    @Tag("long")
    @Test
    void a_backlog_moves_to_its_tenants_partitions_balanced_at_any_time_and_goes_on_after_a_kill() throws Exception {
        String effects = kafka.createTopic("effects", 1);
        try (DeliveryScene scene = new DeliveryScene(kafka.bootstrapServers(), kafka.prefix(), directory, Map.of(
                "SPILLWAY_TOPICS_PARTITIONS", "12", "SPILLWAY_HANDLER_TYPE", "class",
                "SPILLWAY_HANDLER_CLASS", EffectHandler.class.getName(), "SPILLWAY_DEFAULTS_TIMEOUT", "30s"))
                .withRouter()) {
            List<String> ids = scene.send("id", ITEMS, i -> TENANT, i -> "hold", Map.of());
            scene.awaitRouted();
            scene.setPolicy(TENANT, PolicySettings.NONE_SET
                    .with(PolicyField.DEDICATED, "2").with(PolicyField.MOVE_BACKLOG, "true"));
            List<Integer> own = scene.awaitDedicated(TENANT);
            assertThat(elsewhere(scene, own)).isPositive();

            Map<String, String> environment = EffectHandler.environment(
                    scene, effects, Map.of("SPILLWAY_WORKER_SLOTS", "1", EffectHandler.HOLD, ""));
            try (SpillwayProcess worker = start(environment)) {
                move(scene, own, elsewhere(scene, own) / 2, false);
                worker.kill();
            }
            scene.assertBalance(0);
            try (SpillwayProcess worker = start(environment)) {
                move(scene, own, 0, true);
                worker.kill();
            }
            scene.startWorker("rest", handler);
            handler.awaitDone(ids);
            scene.awaitEmpty();
            assertThat(handler.breaches(ids)).isEmpty();
            scene.assertBalance(ITEMS);
        }
    }

    /** Waits until so many of its records are unfinished elsewhere, and prints the rate. */
    private static void move(DeliveryScene scene, List<Integer> own, long until, boolean audits) {
        long before = elsewhere(scene, own);
        long startNanos = System.nanoTime();
        long left = before;
        while (left > until) {
            // An audit takes longer than a small backlog needs to move.
            if (audits) {
                scene.assertBalance(0);
            }
            LockSupport.parkNanos(100_000_000);
            left = elsewhere(scene, own);
        }
        double seconds = (System.nanoTime() - startNanos) / 1e9;
        System.out.printf("%d moved in %.1f s: %.0f a second, %d left%n", before - left, seconds,
                (before - left) / seconds, left);
    }

    private static long elsewhere(DeliveryScene scene, List<Integer> own) {
        return Lane.WORKED.stream().mapToLong(lane -> scene.behind(lane, partition -> !own.contains(partition))).sum();
    }

    private SpillwayProcess start(Map<String, String> environment) {
        return SpillwayProcess.start(directory.resolve("worker"), environment, "--roles", "worker");
    }
}
