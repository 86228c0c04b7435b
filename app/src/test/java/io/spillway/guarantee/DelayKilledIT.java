package io.spillway.guarantee;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.config.Configuration;
import io.spillway.config.ConfigurationLoader;
import io.spillway.core.item.Lane;
import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.PolicySettings;
import io.spillway.kafka.codec.ItemHeaders;
import io.spillway.kafka.codec.RecordCodec;
import io.spillway.kafka.topics.KafkaClients;
import io.spillway.kafka.topics.TopicAdmin;
import io.spillway.kafka.topics.Topics;
import io.spillway.kafka.view.TenantPolicies;
import io.spillway.schema.WorkItem;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.Future;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

@Timeout(900) // Only against a hang.
@Tag("long")
class DelayKilledIT {
    private static final int ITEMS = 30_000;
    private static final int KILLS = 3;
    private static final int PARTITIONS = 4;
    private static final List<Lane> OUTPUT = List.of(Lane.HOT, Lane.OVERFLOW, Lane.AGED, Lane.DEAD_LETTER);
    /** Due times are spread over this time, so that timers wait at every kill. */
    private static final int SPREAD_MILLIS = 45_000;

    private static final Duration POLL = Duration.ofMillis(100);
    /** Several times longer than the last timer and the detection of a killed router. */
    private static final int MAX_EMPTY_POLLS = 1_500;

    @RegisterExtension
    final KafkaUnderTest kafka = new KafkaUnderTest();

    private final RecordCodec<WorkItem> codec = new RecordCodec<>(new WorkItem());

    @Test
    void every_delayed_item_is_in_exactly_one_lane_after_the_router_is_killed_while_timers_wait_and_fire(
            @TempDir Path directory) throws Exception {
        long seed = Long.getLong("spillway.test.seed", System.nanoTime());
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        Map<String, String> settings = Map.of(
                "SPILLWAY_KAFKA_BOOTSTRAP_SERVERS", kafka.bootstrapServers(),
                "SPILLWAY_KAFKA_PREFIX", kafka.prefix(),
                "SPILLWAY_TOPICS_PARTITIONS", Integer.toString(PARTITIONS),
                "SPILLWAY_TOPICS_REPLICATION", "1",
                "SPILLWAY_METRICS_PORT", "0");
        Configuration configuration = ConfigurationLoader.load(Optional.empty(), settings, Map.of());
        Topics topics = new Topics(configuration.queue());
        new TopicAdmin(kafka.admin()).createMissing(topics.all());
        // Commits the initial offsets, which a router does only while its topics are empty.
        try (SpillwayProcess router = startRouter(directory, settings)) {
            assertThat(router.stop()).isZero();
        }

        List<String> origins;
        try (Producer<byte[], byte[]> producer = new KafkaClients(configuration.queue()).producer()) {
            producer.send(new ProducerRecord<>(topics.policies(), bytes("limited"), TenantPolicies
                    .encode("limited", PolicySettings.NONE_SET.with(PolicyField.RATE, "100"))));
            origins = sendAll(producer, topics, random, System.currentTimeMillis());
        }
        try (Consumer<byte[], byte[]> lanes = lanes(configuration, topics)) {
            int arrived = 0;
            for (int kill = 0; kill < KILLS; kill++) {
                try (SpillwayProcess router = startRouter(directory, settings)) {
                    arrived += poll(lanes, 1 + random.nextInt(ITEMS / 6));
                    router.kill();
                }
            }
            assertThat(arrived).as("timers still wait at the last kill, seed %d", seed).isLessThan(ITEMS);
            try (SpillwayProcess router = startRouter(directory, settings)) {
                poll(lanes, ITEMS - arrived);
                assertThat(router.stop()).isZero();
            }
        }

        assertThat(new ExactlyOneLane(kafka, topics).breaches(origins, OUTPUT)).as("seed %d", seed).isEmpty();
        for (Lane lane : OUTPUT) {
            assertThat(kafka.readAll(topics.lane(lane))).as("the test reaches %s", lane).isNotEmpty()
                    .allSatisfy(record -> assertThat(record.headers().lastHeader("x-due")).isNotNull());
        }
    }

    /** Sends items to the delay lane as a worker does, with unique origins. */
    private List<String> sendAll(Producer<byte[], byte[]> producer, Topics topics, Random random, long nowMillis)
            throws Exception {
        List<String> origins = new ArrayList<>();
        List<Future<RecordMetadata>> sends = new ArrayList<>();
        for (int i = 0; i < ITEMS; i++) {
            long ageMillis = random.nextInt(10) == 0 ? 3_600_000 : 0;
            String tenant = random.nextBoolean() ? "limited" : "quiet-" + random.nextInt(20);
            byte[] value = random.nextInt(50) == 0 ? bytes("nonsense") : codec.encode(new WorkItem(
                    tenant, "id-" + i, Instant.ofEpochMilli(nowMillis - ageMillis), "", null,
                    "text/plain", Map.of(), ByteBuffer.wrap(bytes("payload"))));
            String origin = topics.ingress() + "-" + i % PARTITIONS + "-" + i;
            String due = Long.toString(nowMillis + random.nextInt(SPREAD_MILLIS));
            ProducerRecord<byte[], byte[]> record =
                    new ProducerRecord<>(topics.lane(Lane.DELAY), bytes(tenant + i), value);
            record.headers()
                    .add(ItemHeaders.ORIGIN, bytes(origin))
                    .add(ItemHeaders.ATTEMPT, bytes("1"))
                    .add(ItemHeaders.DUE, bytes(due))
                    .add("x-due", bytes(due));
            origins.add(origin);
            sends.add(producer.send(record));
        }
        for (Future<RecordMetadata> sent : sends) {
            sent.get();
        }
        return origins;
    }

    private Consumer<byte[], byte[]> lanes(Configuration configuration, Topics topics) {
        Consumer<byte[], byte[]> consumer = new KafkaClients(configuration.queue()).consumer(Map.of());
        List<TopicPartition> partitions = new ArrayList<>();
        for (Lane lane : OUTPUT) {
            for (int i = 0; i < PARTITIONS; i++) {
                partitions.add(new TopicPartition(topics.lane(lane), i));
            }
        }
        consumer.assign(partitions);
        consumer.seekToBeginning(partitions);
        return consumer;
    }

    /** Polls until {@code count} records were read, or no more arrive because some are lost; returns their number. */
    private static int poll(Consumer<byte[], byte[]> lanes, int count) {
        int polled = 0;
        int emptyPolls = 0;
        while (polled < count && emptyPolls < MAX_EMPTY_POLLS) {
            int found = lanes.poll(POLL).count();
            emptyPolls = found == 0 ? emptyPolls + 1 : 0;
            polled += found;
        }
        return polled;
    }

    private static SpillwayProcess startRouter(Path directory, Map<String, String> settings) {
        return SpillwayProcess.start(directory.resolve("router"), settings, "--roles", "router");
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
