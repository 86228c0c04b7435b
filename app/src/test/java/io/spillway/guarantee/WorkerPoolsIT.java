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
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
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

    /** Prints deaths by pool, and the ages at which items of 99 quiet tenants start, before and after an isolation. */
    @Tag("long")
    @Test
    void the_killers_of_an_isolated_tenant_end_workers_of_its_pool_alone() throws Exception {
        int workers = Integer.getInteger("spillway.test.workers", 2);
        int seconds = Integer.getInteger("spillway.test.seconds", 10);
        List<Member> members = new ArrayList<>(
                IntStream.range(0, workers).mapToObj(i -> new Member("worker-" + i, "shared")).toList());
        members.forEach(Member::startIfEnded);
        run(members, "before", seconds);

        members.add(new Member("pool", "red"));
        scene.setPolicy(KILLER, ISOLATED);
        while (!scene.isEmpty()) {
            members.forEach(Member::startIfEnded);
        }
        members.forEach(member -> member.ended = 0);
        run(members, "isolated", seconds);

        assertThat(members.stream().filter(member -> member.pool.equals("shared")).mapToInt(member -> member.ended))
                .containsOnly(0);
        assertThat(members.getLast().ended).isPositive();
        members.forEach(member -> member.process.ifPresent(SpillwayProcess::close));
    }

    /** Sends an item of each quiet tenant a second, and a killer every ten; starts workers again that have ended. */
    private void run(List<Member> members, String phase, int seconds) throws Exception {
        Map<String, Long> sentMillis = new HashMap<>();
        for (int second = 0; second < seconds; second++) {
            if (second % 10 == 0) {
                scene.send("killer-" + phase + second, 1, i -> KILLER, i -> "halt", Map.of());
            }
            long nowMillis = System.currentTimeMillis();
            scene.send(phase + second, 99, i -> "quiet-" + i, i -> "5", Map.of())
                    .forEach(id -> sentMillis.put(id, nowMillis));
            members.forEach(Member::startIfEnded);
            LockSupport.parkNanos(Math.max(0, nowMillis + 1_000 - System.currentTimeMillis()) * 1_000_000);
        }
        while (!scene.isEmpty()) {
            members.forEach(Member::startIfEnded);
            LockSupport.parkNanos(50_000_000);
        }
        Map<String, Long> startedMillis = new HashMap<>();
        kafka.readAll(effects).forEach(record -> startedMillis.merge(
                new String(record.key(), StandardCharsets.UTF_8), record.timestamp(), Math::min));
        assertThat(startedMillis.keySet()).containsAll(sentMillis.keySet());
        long[] ages = sentMillis.entrySet().stream()
                .mapToLong(sent -> startedMillis.get(sent.getKey()) - sent.getValue()).sorted().toArray();
        System.out.printf("%s: %d items of quiet tenants started after p50 %d ms, p99 %d ms, at most %d ms; ended %s%n",
                phase, ages.length, ages[ages.length / 2], ages[ages.length * 99 / 100], ages[ages.length - 1],
                members.stream().map(member -> member.name + " " + member.ended).toList());
    }

    /** Worker that a container engine starts again when it has ended. */
    private final class Member {
        private final String name;
        private final String pool;
        private Optional<SpillwayProcess> process = Optional.empty();
        private boolean hasStarted;
        private int ended;

        Member(String name, String pool) {
            this.name = name;
            this.pool = pool;
        }

        void startIfEnded() {
            if (process.isEmpty() || !process.get().isAlive()) {
                ended += hasStarted ? 1 : 0;
                hasStarted = true;
                process = start(name, pool);
            }
        }
    }

    /** Waits until nothing waits, and starts the worker of the pool again whenever it has ended. */
    private void awaitEmpty() {
        while (!scene.isEmpty()) {
            if (pool.isEmpty() || !pool.get().isAlive()) {
                deaths += pool.isPresent() ? 1 : 0;
                pool = start("pool", "red");
                deaths += pool.isEmpty() ? 1 : 0;
            }
            LockSupport.parkNanos(50_000_000);
        }
    }

    /** Returns nothing when the worker ended during its start. */
    private Optional<SpillwayProcess> start(String name, String itsPool) {
        Map<String, String> environment =
                EffectHandler.environment(scene, effects, Map.of("SPILLWAY_WORKER_POOL", itsPool));
        try {
            return Optional.of(SpillwayProcess.start(directory.resolve(name), environment, "--roles", "worker"));
        } catch (IllegalStateException crashed) {
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
