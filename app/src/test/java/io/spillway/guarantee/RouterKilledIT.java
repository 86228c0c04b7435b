package io.spillway.guarantee;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.audit.Census;
import io.spillway.audit.SourceAudit;
import io.spillway.config.Configuration;
import io.spillway.config.ConfigurationLoader;
import io.spillway.core.item.Lane;
import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.PolicySettings;
import io.spillway.kafka.codec.RecordCodec;
import io.spillway.kafka.topics.KafkaClients;
import io.spillway.kafka.topics.QueueAdmin;
import io.spillway.kafka.topics.QueueProgress;
import io.spillway.kafka.topics.TopicAdmin;
import io.spillway.kafka.topics.TopicSpec;
import io.spillway.kafka.topics.Topics;
import io.spillway.kafka.view.TenantPolicies;
import io.spillway.schema.WorkItem;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(900) // Only against a hang.
@Tag("long")
class RouterKilledIT {
    private static final int ITEMS = 60_000;
    private static final int KILLS = 3;
    private static final String NONSENSE = "nonsense";

    @RegisterExtension
    final KafkaUnderTest kafka = new KafkaUnderTest();

    private final RecordCodec<WorkItem> codec = new RecordCodec<>(new WorkItem());

    @ParameterizedTest(name = "of a source: {0}")
    @ValueSource(booleans = {false, true})
    void every_item_is_in_exactly_one_lane_after_the_router_is_killed_under_load(
            boolean isSource, @TempDir Path directory) throws Exception {
        long seed = Long.getLong("spillway.test.seed", System.nanoTime());
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        Map<String, String> settings = new HashMap<>(Map.of(
                "SPILLWAY_KAFKA_BOOTSTRAP_SERVERS", kafka.bootstrapServers(),
                "SPILLWAY_KAFKA_PREFIX", kafka.prefix(),
                "SPILLWAY_TOPICS_PARTITIONS", "4",
                "SPILLWAY_TOPICS_REPLICATION", "1",
                "SPILLWAY_METRICS_PORT", "0"));
        if (isSource) {
            settings.put("SPILLWAY_ROUTER_SOURCES_ORDERS_TOPIC", kafka.prefix() + "-orders");
            settings.put("SPILLWAY_ROUTER_SOURCES_ORDERS_TENANT", "header:who");
            settings.put("SPILLWAY_ROUTER_SOURCES_ORDERS_ENQUEUEDAT", "header:at");
        }
        Configuration configuration = ConfigurationLoader.load(Optional.empty(), settings, Map.of());
        Topics topics = new Topics(configuration.queue());
        QueueAdmin queues = new QueueAdmin(kafka.admin());
        new TopicAdmin(kafka.admin()).createMissing(topics.all());

        String input = isSource ? kafka.prefix() + "-orders" : topics.ingress();
        String group = isSource ? topics.sourceGroup("orders") : topics.routerGroup();
        if (isSource) {
            // It waits until the topic can be used. A producer that meets a new one too early can fail for ever.
            new TopicAdmin(kafka.admin()).createMissing(List.of(new TopicSpec(input, 4, 1, Map.of())));
        }
        List<String> origins;
        try (Producer<byte[], byte[]> producer = new KafkaClients(configuration.queue()).producer()) {
            producer.send(new ProducerRecord<>(topics.policies(), bytes("limited"), TenantPolicies
                    .encode("limited", PolicySettings.NONE_SET.with(PolicyField.RATE, "100"))));
            origins = sendAll(producer, input, random);
        }
        for (int kill = 0; kill < KILLS; kill++) {
            try (SpillwayProcess router = startRouter(directory, settings)) {
                long target = written(queues, topics) + 1 + random.nextInt(ITEMS / 4);
                // Some of these records are in a transaction that the kill leaves open.
                while (written(queues, topics) < target && behind(queues, input, group) > 0) {
                    LockSupport.parkNanos(2_000_000);
                }
                router.kill();
            }
        }
        try (SpillwayProcess router = startRouter(directory, settings)) {
            while (behind(queues, input, group) > 0) {
                LockSupport.parkNanos(2_000_000);
            }
            assertThat(router.stop()).isZero();
        }

        assertThat(new ExactlyOneLane(kafka, topics).breaches(origins)).as("seed %d", seed).isEmpty();
        List<SourceAudit> audited;
        try (Census census = new Census(configuration, InstantSource.system())) {
            audited = SourceAudit.of(census, configuration.router().sourcesByName());
        }
        assertThat(audited).hasSize(isSource ? 1 : 0);
        assertThat(audited).as("seed %d", seed).allMatch(source -> source.least() == ITEMS && source.most() == ITEMS
                && source.records().equals(OptionalLong.of(ITEMS)));
        for (Lane lane : List.of(Lane.HOT, Lane.OVERFLOW, Lane.AGED, Lane.DEAD_LETTER)) {
            assertThat(kafka.readAll(topics.lane(lane))).as("the test reaches %s", lane).isNotEmpty();
        }
    }

    private List<String> sendAll(Producer<byte[], byte[]> producer, String input, Random random) throws Exception {
        List<Future<RecordMetadata>> sends = new ArrayList<>();
        for (int i = 0; i < ITEMS; i++) {
            long ageMillis = random.nextInt(10) == 0 ? 3_600_000 : 0;
            String tenant = random.nextBoolean() ? "limited" : "quiet-" + random.nextInt(20);
            byte[] value = random.nextInt(50) == 0 ? bytes(NONSENSE) : codec.encode(new WorkItem(
                    tenant, "id-" + i, Instant.ofEpochMilli(System.currentTimeMillis() - ageMillis), "", null,
                    "text/plain", Map.of(), ByteBuffer.wrap(bytes("payload"))));
            ProducerRecord<byte[], byte[]> record = new ProducerRecord<>(input, bytes(tenant + i), value);
            if (value.length > NONSENSE.length()) {
                record.headers().add("who", bytes(tenant))
                        .add("at", bytes(Long.toString(System.currentTimeMillis() - ageMillis)));
            }
            sends.add(producer.send(record));
        }
        List<String> origins = new ArrayList<>();
        for (Future<RecordMetadata> sent : sends) {
            RecordMetadata at = sent.get();
            origins.add(at.topic() + "-" + at.partition() + "-" + at.offset());
        }
        return origins;
    }

    private static long written(QueueAdmin queues, Topics topics) {
        long written = 0;
        for (Lane lane : Lane.values()) {
            written += queues.read(topics.lane(lane), topics.workerGroup()).stream()
                    .mapToLong(QueueProgress::end).sum();
        }
        return written;
    }

    private static long behind(QueueAdmin queues, String input, String group) {
        return queues.read(input, group).stream().mapToLong(QueueProgress::behind).sum();
    }

    private static SpillwayProcess startRouter(Path directory, Map<String, String> settings) {
        return SpillwayProcess.start(directory.resolve("router"), settings, "--roles", "router");
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
