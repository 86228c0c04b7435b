package io.spillway.guarantee;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.Repetitions;
import io.spillway.core.item.Lane;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What holds after the worker's process was killed, from outside or by an item, or stood still. */
@Timeout(900) // Against a hang; nothing is measured.
class WorkerKilledIT {
    /**
     * In flight at a fault: what runs, and what has ended since the last commit, of which there is one every 50 ms or
     * so. 20 slots of 5 ms end 200 in that time, and a commit on a busy machine may take a few times as long.
     */
    private static final int MOST_REPEATED = 1_000;

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
                Map.of("bootstrap.servers", kafka.bootstrapServers()), new ByteArrayDeserializer(), new ByteArrayDeserializer());
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
    void every_item_is_handled_and_only_those_in_flight_again_when_the_worker_is_killed() throws Exception {
        long seed = Long.getLong("spillway.test.seed", System.nanoTime());
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        List<String> ids = scene.send("id", 6_000, i -> "5");
        int kills = Repetitions.of(1, 2);
        for (int kill = 0; kill < kills; kill++) {
            try (SpillwayProcess worker = start("worker")) {
                awaitEffects(effects().size() + 200 + random.nextInt(1_000));
                worker.kill();
            }
        }
        finish();

        assertEachHandled(ids, kills * MOST_REPEATED, "seed " + seed);
        assertThat(kafka.readAll(scene.topics.lane(Lane.DEAD_LETTER))).isEmpty();
    }

    @Test
    void a_worker_that_stood_still_wakes_as_a_zombie_and_does_no_harm() throws Exception {
        List<String> ids = scene.send("id", 6_000, i -> "5");
        try (SpillwayProcess zombie = start("zombie")) {
            awaitEffects(500);
            zombie.signal("STOP");
            try (SpillwayProcess heir = start("heir")) {
                // The group waits for the zombie's session to end before the heir gets its partitions.
                scene.awaitEmpty();
                zombie.signal("CONT");
                ids.addAll(scene.send("after", 1_000, i -> "5"));
                scene.awaitEmpty();
                assertThat(zombie.isAlive()).as(zombie.log()).isTrue();
                assertThat(zombie.stop()).isZero();
                assertThat(heir.stop()).isZero();
            }
        }

        assertEachHandled(ids, MOST_REPEATED, "zombie");
        assertThat(kafka.readAll(scene.topics.lane(Lane.DEAD_LETTER))).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("waysToDie")
    void a_record_that_kills_its_worker_is_a_dead_letter_and_no_other_is_convicted(String how) throws Exception {
        List<String> ids = scene.send("id", 300, i -> i == 150 ? how : "1");
        int deaths = 0;
        while (diesBeforeEverythingIsDone()) {
            deaths++;
            assertThat(deaths).as("one death beside others, one on probation, three alone").isLessThanOrEqualTo(5);
        }

        List<ConsumerRecord<byte[], byte[]>> dead = kafka.readAll(scene.topics.lane(Lane.DEAD_LETTER));
        assertThat(dead).hasSize(1);
        assertThat(text(dead.getFirst().headers().lastHeader("spillway-dead-reason").value())).isEqualTo("killed-worker");
        assertThat(effects().keySet()).isEqualTo(new HashSet<>(ids));
        assertThat(deaths).isGreaterThanOrEqualTo(3);
    }

    static List<String> waysToDie() {
        return List.of("halt", "exit").subList(0, Repetitions.of(1, 2));
    }

    private boolean diesBeforeEverythingIsDone() {
        try (SpillwayProcess worker = start("worker")) {
            while (worker.isAlive()) {
                if (scene.isEmpty()) {
                    worker.stop();
                    return false;
                }
                LockSupport.parkNanos(50_000_000);
            }
        } catch (IllegalStateException diedWhileItStarted) {
            return true;
        }
        return true;
    }

    private SpillwayProcess start(String name) {
        Map<String, String> environment = new HashMap<>(scene.environment());
        environment.put("JAVA_TOOL_OPTIONS", "-D" + EffectHandler.BOOTSTRAP + "=" + kafka.bootstrapServers()
                + " -D" + EffectHandler.TOPIC + "=" + effects);
        return SpillwayProcess.start(directory.resolve(name), environment, "--roles", "router,worker");
    }

    private void finish() {
        try (SpillwayProcess worker = start("worker")) {
            scene.awaitEmpty();
            assertThat(worker.stop()).isZero();
        }
    }

    private void assertEachHandled(List<String> ids, int mostRepeated, String how) {
        Map<String, Integer> calls = effects();
        assertThat(calls.keySet()).as(how).isEqualTo(new HashSet<>(ids));
        long repeated = calls.values().stream().filter(count -> count > 1).count();
        assertThat(repeated).as("%s: handled again", how).isLessThanOrEqualTo(mostRepeated);
    }

    private void awaitEffects(int count) {
        while (effects().size() < count) {
            LockSupport.parkNanos(50_000_000);
        }
    }

    /** Calls of the handler up to now, by id. Reads only what was added since it was asked last. */
    private Map<String, Integer> effects() {
        TopicPartition partition = new TopicPartition(effects, 0);
        long end = effectReader.endOffsets(Set.of(partition)).get(partition);
        while (effectReader.position(partition) < end) {
            effectReader.poll(Duration.ofMillis(100)).forEach(record -> calls.merge(text(record.key()), 1, Integer::sum));
        }
        return calls;
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
