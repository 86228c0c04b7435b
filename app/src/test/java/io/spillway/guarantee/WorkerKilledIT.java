package io.spillway.guarantee;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.config.Configuration;
import io.spillway.config.ConfigurationLoader;
import io.spillway.policy.Lane;
import io.spillway.schema.WorkItem;
import io.spillway.topic.KafkaClients;
import io.spillway.topic.QueueAdmin;
import io.spillway.topic.QueuePartition;
import io.spillway.topic.RecordCodec;
import io.spillway.topic.TopicAdmin;
import io.spillway.topic.Topics;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

class WorkerKilledIT {
    private static final int SLOTS = 20;

    @RegisterExtension
    final KafkaUnderTest kafka = new KafkaUnderTest();

    @TempDir
    private Path directory;

    private final RecordCodec<WorkItem> codec = new RecordCodec<>(new WorkItem());
    private Map<String, String> settings;
    private Configuration configuration;
    private Topics topics;
    private QueueAdmin queues;
    private String effects;

    @BeforeEach
    void createTopics() throws Exception {
        effects = kafka.createTopic("effects", 1);
        settings = new HashMap<>(Map.of(
                "SPILLWAY_KAFKA_BOOTSTRAP_SERVERS", kafka.bootstrapServers(),
                "SPILLWAY_KAFKA_PREFIX", kafka.prefix(),
                "SPILLWAY_TOPICS_PARTITIONS", "4",
                "SPILLWAY_TOPICS_REPLICATION", "1",
                "SPILLWAY_METRICS_PORT", "0",
                "SPILLWAY_WORKER_SLOTS", Integer.toString(SLOTS),
                "SPILLWAY_HANDLER_TYPE", "class",
                "SPILLWAY_HANDLER_CLASS", EffectHandler.class.getName()));
        configuration = ConfigurationLoader.load(Optional.empty(), settings, Map.of());
        settings.put("JAVA_TOOL_OPTIONS", "-D" + EffectHandler.BOOTSTRAP + "=" + kafka.bootstrapServers()
                + " -D" + EffectHandler.TOPIC + "=" + effects);
        topics = new Topics(configuration);
        queues = new QueueAdmin(kafka.admin());
        new TopicAdmin(kafka.admin()).createMissing(topics.all());
    }

    @Test
    void every_item_is_handled_and_only_those_in_flight_again_when_the_worker_is_killed() throws Exception {
        long seed = Long.getLong("spillway.test.seed", System.nanoTime());
        Random random = new Random(seed);
        int items = 6_000;
        Set<String> ids = send(items, i -> "5");
        int kills = 2;
        for (int kill = 0; kill < kills; kill++) {
            try (SpillwayProcess worker = start()) {
                long target = effects().size() + 200 + random.nextInt(1_000);
                while (effects().size() < target) {
                    Thread.onSpinWait();
                }
                worker.kill();
            }
        }
        try (SpillwayProcess worker = start()) {
            awaitEmpty();
            assertThat(worker.stop()).isZero();
        }

        Map<String, Integer> calls = effects();
        assertThat(calls.keySet()).as("seed %d", seed).isEqualTo(ids);
        long repeated = calls.values().stream().filter(count -> count > 1).count();
        // In flight at a fault: what runs, and what has ended since the last commit, of which there is one every 50 ms
        // or so; 20 slots of 5 ms end 200 in that time, and a commit on a busy machine may take a few times as long.
        assertThat(repeated).as("seed %d", seed).isLessThanOrEqualTo(kills * 1_000L);
        assertThat(kafka.readAll(topics.lane(Lane.DEAD_LETTER))).isEmpty();
    }

    @Test
    void a_record_that_kills_its_worker_is_a_dead_letter_and_no_other_is_convicted() throws Exception {
        Set<String> ids = send(300, i -> i == 150 ? "halt" : "1");
        int deaths = 0;
        while (deathsOfOneRun()) {
            deaths++;
            assertThat(deaths).as("a killer is set aside after one death beside others and three alone").isLessThanOrEqualTo(5);
        }

        List<ConsumerRecord<byte[], byte[]>> dead = kafka.readAll(topics.lane(Lane.DEAD_LETTER));
        assertThat(dead).hasSize(1);
        assertThat(text(dead.getFirst().headers().lastHeader("spillway-dead-reason").value())).isEqualTo("killed-worker");
        assertThat(effects().keySet()).isEqualTo(ids);
        assertThat(deaths).isGreaterThanOrEqualTo(3);
    }

    /** Whether the process died before everything was done. */
    private boolean deathsOfOneRun() {
        try (SpillwayProcess worker = start()) {
            while (worker.isAlive()) {
                if (isEmpty()) {
                    worker.stop();
                    return false;
                }
            }
        } catch (IllegalStateException diedWhileItStarted) {
            return true;
        }
        return true;
    }

    private SpillwayProcess start() {
        return SpillwayProcess.start(directory.resolve("worker"), settings, "--roles", "router,worker");
    }

    private Set<String> send(int count, java.util.function.IntFunction<String> payloads) {
        Set<String> ids = new HashSet<>();
        try (Producer<byte[], byte[]> producer = new KafkaClients(configuration).producer()) {
            for (int i = 0; i < count; i++) {
                String tenant = "tenant-" + i % 10;
                ids.add("id-" + i);
                producer.send(new ProducerRecord<>(topics.ingress(), bytes(tenant + i), codec.encode(new WorkItem(
                        tenant, "id-" + i, Instant.ofEpochMilli(System.currentTimeMillis()), "", null, "text/plain",
                        Map.of(), ByteBuffer.wrap(bytes(payloads.apply(i)))))));
            }
        }
        return ids;
    }

    private void awaitEmpty() {
        while (!isEmpty()) {
            Thread.onSpinWait();
        }
    }

    private boolean isEmpty() {
        return behind(topics.ingress(), topics.routerGroup()) + behind(topics.lane(Lane.DELAY), topics.routerGroup())
                + behind(topics.lane(Lane.HOT), topics.workerGroup()) + behind(topics.lane(Lane.OVERFLOW), topics.workerGroup())
                + behind(topics.lane(Lane.AGED), topics.workerGroup()) == 0;
    }

    private long behind(String topic, String group) {
        return queues.read(topic, group).stream().mapToLong(QueuePartition::behind).sum();
    }

    /** Calls of the handler, by id. */
    private Map<String, Integer> effects() {
        Map<String, Integer> calls = new HashMap<>();
        kafka.readAll(effects).forEach(record -> calls.merge(text(record.key()), 1, Integer::sum));
        return calls;
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
