package io.spillway.guarantee;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The rule that isolates tenants, in processes as they ship, on a real Kafka. */
@Timeout(900) // Only against a hang.
@Tag("long")
class IsolationRuleIT {
    private static final String TENANT = "acme";

    @RegisterExtension
    final KafkaUnderTest kafka = new KafkaUnderTest();

    @TempDir
    private Path directory;

    private String effects;

    @Test
    void a_tenant_with_most_of_a_long_backlog_is_isolated_handled_by_the_spare_worker_and_released() throws Exception {
        effects = kafka.createTopic("effects", 1);
        Map<String, String> settings = Map.of(
                "SPILLWAY_HANDLER_TYPE", "class", "SPILLWAY_HANDLER_CLASS", EffectHandler.class.getName(),
                "SPILLWAY_WORKER_SLOTS", "8", "SPILLWAY_ROUTER_ISOLATION_MODE", "enforce",
                "SPILLWAY_ROUTER_ISOLATION_AFTER", "10s", "SPILLWAY_ROUTER_ISOLATION_CALM", "10s");
        try (DeliveryScene scene = new DeliveryScene(kafka.bootstrapServers(), kafka.prefix(), directory, settings);
                SpillwayProcess main = start(scene, "main", "shared", "router,worker");
                SpillwayProcess spare = start(scene, "spare", "spare", "worker")) {
            List<String> ids = new ArrayList<>(scene.send("hog", 1_000, i -> TENANT, i -> "500", Map.of()));
            ids.addAll(scene.send("quiet", 50, i -> "quiet-" + i, i -> "5", Map.of()));
            assertThat(scene.awaitDedicated(TENANT)).as("a partition for the spare worker").hasSize(1);
            while (actions(scene).size() < 2) {
                LockSupport.parkNanos(100_000_000);
            }
            scene.awaitEmpty();

            assertThat(actions(scene)).satisfiesExactly(
                    isolated -> assertThat(isolated).contains("\"by\":\"isolation rule: ", "of what waits is its",
                            "\"action\":\"isolate\"", "\"tenant\":\"acme\"", "\"pool\":\"spare\""),
                    released -> assertThat(released).contains("\"by\":\"isolation rule: it has been calm\"",
                            "\"action\":\"release\"", "\"tenant\":\"acme\""));
            assertThat(kafka.readAll(effects)).extracting(record -> new String(record.key(), StandardCharsets.UTF_8))
                    .containsExactlyInAnyOrderElementsOf(ids);
            scene.assertBalance(ids.size());
            assertThat(main.isAlive() && spare.isAlive()).isTrue();
        }
    }

    private List<String> actions(DeliveryScene scene) {
        return kafka.readAll(scene.topics.actions()).stream()
                .map(record -> new String(record.value(), StandardCharsets.UTF_8)).toList();
    }

    private SpillwayProcess start(DeliveryScene scene, String name, String pool, String roles) {
        return SpillwayProcess.start(directory.resolve(name),
                EffectHandler.environment(scene, effects, Map.of("SPILLWAY_WORKER_POOL", pool)), "--roles", roles);
    }
}
