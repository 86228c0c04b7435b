package io.spillway.guarantee;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.item.Lane;
import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.PolicySettings;
import io.spillway.handler.Outcome;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Tenants whose items only the workers of a pool handle, on a real Kafka. */
@Timeout(900) // Only against a hang.
class WorkerPoolsIT {
    private static final PolicySettings ISOLATED =
            PolicySettings.NONE_SET.with(PolicyField.DEDICATED, "1").with(PolicyField.POOL, "red");
    private static final String KILLER = "tenant-0";

    @RegisterExtension
    final KafkaUnderTest kafka = new KafkaUnderTest();

    @TempDir
    private Path directory;

    private final Set<String> tenantsOfShared = ConcurrentHashMap.newKeySet();
    private final RecordingHandler shared = new RecordingHandler(delivery -> {
        tenantsOfShared.add(delivery.tenant());
        return Outcome.done();
    });
    private DeliveryScene scene;
    private String effects;
    private Optional<SpillwayProcess> pool = Optional.empty();
    private int deaths;

    @BeforeEach
    void createTopics() throws Exception {
        effects = kafka.createTopic("effects", 1);
        scene = new DeliveryScene(kafka.bootstrapServers(), kafka.prefix(), directory, Map.of(
                "SPILLWAY_HANDLER_TYPE", "class", "SPILLWAY_HANDLER_CLASS", EffectHandler.class.getName()))
                .withRouter();
    }

    @AfterEach
    void close() {
        pool.ifPresent(SpillwayProcess::close);
        scene.close();
    }

    /** The shared workers run in the process of this test, which an item of the killer would end. */
    @Test
    void a_killer_that_is_isolated_while_its_items_wait_ends_no_worker_of_another_pool() throws Exception {
        List<String> ids = new ArrayList<>(scene.send("id", 120, i -> i == 0 || i == 50 ? "halt" : "1"));
        scene.awaitRouted();
        scene.setPolicy(KILLER, ISOLATED);
        scene.startWorker("shared-1", shared);
        scene.startWorker("shared-2", shared);
        ids.addAll(scene.send("more", 50, i -> "1"));
        awaitEmpty();

        assertThat(tenantsOfShared).hasSize(9).doesNotContain(KILLER);
        assertThat(reasonsOfDeadLetters()).containsExactly("killed-worker", "killed-worker");
        assertThat(deaths).as("deaths of the pool").isBetween(2, 8);
        assertThat(handled()).containsExactlyInAnyOrderElementsOf(ids);

        scene.setPolicy(KILLER, PolicySettings.NONE_SET);
        while (!tenantsOfShared.contains(KILLER)) {
            ids.addAll(scene.send("released-" + ids.size(), 10, i -> "1"));
            LockSupport.parkNanos(50_000_000);
        }
        awaitEmpty();
        assertThat(handled()).containsExactlyInAnyOrderElementsOf(ids);
    }

    @Test
    void a_pool_without_workers_lets_the_items_of_its_tenant_wait_and_nobody_elses() throws Exception {
        scene.setPolicy(KILLER, ISOLATED);
        scene.startWorker("shared", shared);
        List<String> ids = scene.send("id", 100, i -> "1");
        shared.awaitDone(ids.stream().filter(id -> !id.endsWith("0")).toList());
        assertThat(tenantsOfShared).doesNotContain(KILLER);

        awaitEmpty();
        assertThat(handled()).containsExactlyInAnyOrderElementsOf(ids);
    }

    /** Waits until nothing waits, and starts the worker of the pool again whenever it has ended. */
    private void awaitEmpty() {
        while (!scene.isEmpty()) {
            if (pool.isEmpty() || !pool.get().isAlive()) {
                deaths += pool.isPresent() ? 1 : 0;
                pool = startPool();
            }
            LockSupport.parkNanos(50_000_000);
        }
    }

    /** Returns nothing when the worker ended during its start. */
    private Optional<SpillwayProcess> startPool() {
        Map<String, String> environment = new HashMap<>(scene.environment());
        environment.put("SPILLWAY_WORKER_POOL", "red");
        environment.put("JAVA_TOOL_OPTIONS", "-D" + EffectHandler.BOOTSTRAP + "=" + kafka.bootstrapServers()
                + " -D" + EffectHandler.TOPIC + "=" + effects);
        try {
            return Optional.of(SpillwayProcess.start(directory.resolve("pool"), environment, "--roles", "worker"));
        } catch (IllegalStateException crashed) {
            deaths++;
            return Optional.empty();
        }
    }

    private List<String> reasonsOfDeadLetters() {
        return kafka.readAll(scene.topics.lane(Lane.DEAD_LETTER)).stream().map(record -> new String(
                record.headers().lastHeader("spillway-dead-reason").value(), StandardCharsets.UTF_8)).toList();
    }

    /** Returns the ids that a handler was called with, in the pool or outside. */
    private Set<String> handled() {
        Set<String> handled = kafka.readAll(effects).stream()
                .map(record -> new String(record.key(), StandardCharsets.UTF_8))
                .collect(Collectors.toCollection(TreeSet::new));
        handled.addAll(shared.ids());
        return handled;
    }
}
