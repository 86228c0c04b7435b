package io.spillway.guarantee;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.Repetitions;
import io.spillway.core.item.Lane;
import io.spillway.core.progress.ProgressCodec;
import io.spillway.kafka.topics.QueueAdmin;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.RemoveMembersFromConsumerGroupOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Guarantees of the worker after its process was killed, from outside or by an item, or was suspended. */
@Timeout(900) // Only against a hang.
class WorkerKilledIT {
    /**
     * Items in flight at a fault: running items, and items that ended since the last commit. Commits are 50 ms apart,
     * in which 20 slots end 200 items of 5 ms; a commit on a busy machine may take several times as long.
     */
    private static final int MAX_REPEATED = 1_000;
    /** Items of three of the ten tenants. */
    private static final Set<Integer> KILLERS = Set.of(101, 202, 303);

    @RegisterExtension
    final KafkaUnderTest kafka = new KafkaUnderTest();

    @TempDir
    private Path directory;

    private DeliveryScene scene;
    private String effects;
    private Consumer<byte[], byte[]> effectReader;
    private final Map<String, Integer> calls = new HashMap<>();

    @BeforeEach
    void createTopics() throws Exception {
        effects = kafka.createTopic("effects", 1);
        effectReader = new KafkaConsumer<>(
                Map.of("bootstrap.servers", kafka.bootstrapServers()),
                new ByteArrayDeserializer(), new ByteArrayDeserializer());
        effectReader.assign(Set.of(new TopicPartition(effects, 0)));
        effectReader.seekToBeginning(effectReader.assignment());
        scene = new DeliveryScene(kafka.bootstrapServers(), kafka.prefix(), directory, Map.of(
                "SPILLWAY_HANDLER_TYPE", "class", "SPILLWAY_HANDLER_CLASS", EffectHandler.class.getName()));
    }

    @AfterEach
    void close() {
        effectReader.close();
        scene.close();
    }

    @Test
    void every_item_is_handled_and_only_items_in_flight_are_repeated_after_a_kill() throws Exception {
        long seed = Long.getLong("spillway.test.seed", System.nanoTime());
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        List<String> ids = scene.send("id", 6_000, i -> "5");
        int kills = Repetitions.of(1, 2);
        for (int kill = 0; kill < kills; kill++) {
            // Counted before the start: the worker may do all the rest until it is counted afterwards.
            int enough = Math.min(ids.size(), effects().size() + 200 + random.nextInt(1_000));
            try (SpillwayProcess worker = start("worker")) {
                awaitEffects(enough);
                worker.kill();
            }
        }
        finish();

        assertEachHandled(ids, kills * MAX_REPEATED, "seed " + seed);
        assertThat(kafka.readAll(scene.topics.lane(Lane.DEAD_LETTER))).isEmpty();
    }

    @Test
    void a_worker_that_starts_after_a_kill_does_not_wait_for_the_session_of_its_dead_process() throws Exception {
        Set<String> dead;
        try (SpillwayProcess worker = start("worker")) {
            dead = instances();
            assertThat(dead).hasSize(1);
            worker.kill();
        }
        CompletableFuture<SpillwayProcess> starting = CompletableFuture.supplyAsync(() -> start("worker"));
        Set<String> present = instances();
        while (dead.containsAll(present) && !starting.isDone()) {
            present = instances();
        }
        try (SpillwayProcess worker = starting.get()) {
            // Unless the start took a session of 10 s, both would be there.
            assertThat(present).as("members when the new one joins").hasSize(1).doesNotContainAnyElementsOf(dead);
            assertThat(worker.stop()).isZero();
        }
        assertThat(new QueueAdmin(kafka.admin()).members(scene.topics.workerGroup())).as("it has left").isEmpty();
    }

    @Tag("long")
    @Test
    void a_suspended_worker_that_resumes_is_fenced_and_does_no_harm() throws Exception {
        List<String> ids = scene.send("id", 6_000, i -> "5");
        try (SpillwayProcess zombie = start("zombie")) {
            awaitEffects(500);
            zombie.signal("STOP");
            try (SpillwayProcess successor = start("successor")) {
                // The session of the zombie must expire before the successor gets its partitions.
                scene.awaitEmpty();
                zombie.signal("CONT");
                ids.addAll(scene.send("after", 1_000, i -> "5"));
                scene.awaitEmpty();
                assertThat(zombie.isAlive()).as(zombie.log()).isTrue();
                assertThat(zombie.log()).as("the router, too").doesNotContain("auto.offset.reset");
                assertThat(zombie.stop()).isZero();
                assertThat(successor.stop()).isZero();
            }
        }

        assertEachHandled(ids, MAX_REPEATED, "zombie");
        assertThat(kafka.readAll(scene.topics.lane(Lane.DEAD_LETTER))).isEmpty();
    }

    @Tag("long")
    @Test
    void items_above_an_offset_with_damaged_metadata_are_handled_again_and_none_is_lost() throws Exception {
        List<String> ids = new ArrayList<>();
        Map<String, String> holding = Map.of(EffectHandler.HOLD, "", "SPILLWAY_WORKER_SLOTS", "1000");
        try (SpillwayProcess worker = start("worker", holding)) {
            // Held items leave their partitions after 5 s, and after a stall of the machine others go to overflow.
            while (committedAbove() < 200) {
                ids.addAll(scene.send("held-" + ids.size(), 16, i -> "hold"));
                awaitEffects(ids.size());
                ids.addAll(scene.send("id-" + ids.size(), 300, i -> "1"));
                awaitEffects(ids.size());
                assertThat(worker.isAlive()).as(worker.log()).isTrue();
            }
            worker.kill();
        }
        long finished = committedAbove();
        assertThat(finished).as("none is claimed before the kill").isPositive();
        String group = scene.topics.workerGroup();
        kafka.admin().removeMembersFromConsumerGroup(group, new RemoveMembersFromConsumerGroupOptions()).all().get();
        Map<TopicPartition, OffsetAndMetadata> damaged = new HashMap<>();
        committed().forEach((partition, offset) -> damaged.put(
                partition, new OffsetAndMetadata(offset.offset(), "?" + offset.metadata())));
        kafka.admin().alterConsumerGroupOffsets(group, damaged).all().get();

        try (SpillwayProcess worker = start("worker")) {
            scene.awaitEmpty();
            assertThat(worker.stop()).isZero();
            assertThat(worker.log()).contains("cannot be read: it was changed");
        }
        Map<String, Integer> calls = effects();
        assertThat(calls.keySet()).isEqualTo(new HashSet<>(ids));
        calls.keySet().removeIf(id -> id.startsWith("held"));
        assertThat(calls.values()).allMatch(count -> count <= 2);
        assertThat(calls.values().stream().filter(count -> count == 2).count())
                .as("%d offsets were finished, some of them ends of transactions", finished)
                .isGreaterThan(finished / 2);
        assertThat(kafka.readAll(scene.topics.lane(Lane.DEAD_LETTER))).isEmpty();
    }

    private Map<TopicPartition, OffsetAndMetadata> committed() throws Exception {
        return kafka.admin().listConsumerGroupOffsets(scene.topics.workerGroup())
                .partitionsToOffsetAndMetadata().get();
    }

    /** Returns the finished items above the committed offsets, of which only the metadata knows. */
    private long committedAbove() throws Exception {
        return committed().values().stream()
                .map(offset -> ProgressCodec.decode(offset.offset(), offset.metadata()))
                .mapToLong(state -> state.readTo() - state.frontier() - state.unfinished().size()).sum();
    }

    @Tag("long")
    @ParameterizedTest
    @ValueSource(strings = {"halt", "exit"})
    void only_the_record_that_kills_its_worker_becomes_a_dead_letter(String how) throws Exception {
        List<String> ids = scene.send("id", 300, i -> i == 150 ? how : "1");
        int crashes = 0;
        while (crashesBeforeAllIsDone()) {
            crashes++;
            assertThat(crashes).as("one with other items, one on probation, one in a group, three alone")
                    .isLessThanOrEqualTo(6);
        }

        List<ConsumerRecord<byte[], byte[]>> dead = kafka.readAll(scene.topics.lane(Lane.DEAD_LETTER));
        assertThat(dead).hasSize(1);
        assertThat(text(dead.getFirst().headers().lastHeader("spillway-dead-reason").value()))
                .isEqualTo("killed-worker");
        assertThat(effects().keySet()).isEqualTo(new HashSet<>(ids));
        assertThat(crashes).isGreaterThanOrEqualTo(3);
    }

    /** Router and worker die together, so its commit is lost with the worker. */
    @Test
    void an_item_that_ended_its_process_before_its_commit_is_not_early_again() throws Exception {
        List<String> ids = new ArrayList<>();
        try (SpillwayProcess process = start("worker")) {
            while (process.isAlive()) {
                ids.addAll(scene.send("id-" + ids.size(), 1, i -> "halt-early"));
            }
        }
        assertThat(crashesBeforeAllIsDone()).isFalse();
        assertThat(effects().keySet()).isEqualTo(new HashSet<>(ids));
    }

    /** As a container engine does, this test starts each worker that ends again, at once. */
    @Tag("long")
    @Test
    void killers_of_three_tenants_among_three_workers_end_four_processes_each_at_most() throws Exception {
        scene.withRouter();
        List<String> ids = scene.send("id", 600, i -> KILLERS.contains(i) ? "halt" : "20");
        SpillwayProcess[] workers = new SpillwayProcess[3];
        int crashes = -workers.length;
        try {
            while (!scene.isEmpty()) {
                for (int i = 0; i < workers.length; i++) {
                    if (workers[i] == null || !workers[i].isAlive()) {
                        crashes++;
                        workers[i] = startedAgain("worker-" + i);
                    }
                }
                LockSupport.parkNanos(50_000_000);
            }
        } finally {
            Arrays.stream(workers).filter(Objects::nonNull).forEach(SpillwayProcess::close);
        }

        System.out.println("processes that ended: " + crashes);
        assertThat(kafka.readAll(scene.topics.lane(Lane.DEAD_LETTER)).stream()
                .map(record -> text(record.headers().lastHeader("spillway-dead-reason").value())))
                .containsExactly("killed-worker", "killed-worker", "killed-worker");
        assertThat(effects().keySet()).isEqualTo(new HashSet<>(ids));
        assertThat(crashes).as("three each, and one more when a status was late: then two workers have a turn")
                .isBetween(KILLERS.size(), 4 * KILLERS.size());
    }

    /** Returns nothing when the worker ended during its start. */
    private SpillwayProcess startedAgain(String name) {
        try {
            return SpillwayProcess.start(directory.resolve(name), environment(Map.of()), "--roles", "worker");
        } catch (IllegalStateException crashed) {
            return null;
        }
    }

    private boolean crashesBeforeAllIsDone() {
        try (SpillwayProcess worker = start("worker")) {
            while (worker.isAlive()) {
                if (scene.isEmpty()) {
                    worker.stop();
                    return false;
                }
                LockSupport.parkNanos(50_000_000);
            }
        } catch (IllegalStateException crashedDuringStart) {
            return true;
        }
        return true;
    }

    private Set<String> instances() {
        return new QueueAdmin(kafka.admin()).members(scene.topics.workerGroup()).stream()
                .map(member -> member.groupInstanceId().orElseThrow()).collect(Collectors.toSet());
    }

    private SpillwayProcess start(String name) {
        return start(name, Map.of());
    }

    private SpillwayProcess start(String name, Map<String, String> more) {
        return SpillwayProcess.start(directory.resolve(name), environment(more), "--roles", "router,worker");
    }

    private Map<String, String> environment(Map<String, String> more) {
        return EffectHandler.environment(scene, effects, more);
    }

    private void finish() {
        try (SpillwayProcess worker = start("worker")) {
            scene.awaitEmpty();
            assertThat(worker.stop()).isZero();
        }
    }

    private void assertEachHandled(List<String> ids, int maxRepeated, String how) {
        Map<String, Integer> calls = effects();
        assertThat(calls.keySet()).as(how).isEqualTo(new HashSet<>(ids));
        long repeated = calls.values().stream().filter(count -> count > 1).count();
        assertThat(repeated).as("%s: repeated", how).isLessThanOrEqualTo(maxRepeated);
    }

    private void awaitEffects(int count) {
        while (effects().size() < count) {
            LockSupport.parkNanos(50_000_000);
        }
    }

    /** Returns the handler calls by item id; reads only the records since the last call. */
    private Map<String, Integer> effects() {
        TopicPartition partition = new TopicPartition(effects, 0);
        long end = effectReader.endOffsets(Set.of(partition)).get(partition);
        while (effectReader.position(partition) < end) {
            effectReader.poll(Duration.ofMillis(100))
                    .forEach(record -> calls.merge(text(record.key()), 1, Integer::sum));
        }
        return calls;
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
