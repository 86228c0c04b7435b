package io.spillway.guarantee;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.audit.Audit;
import io.spillway.audit.Census;
import io.spillway.config.Configuration;
import io.spillway.config.ConfigurationLoader;
import io.spillway.core.item.ItemState;
import io.spillway.core.ledger.AuditedTenant;
import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.PolicySettings;
import io.spillway.deadletter.DeadLetterFixture;
import io.spillway.deadletter.DeadLetterRun;
import io.spillway.deadletter.Discard;
import io.spillway.deadletter.Disposal;
import io.spillway.deadletter.Replay;
import io.spillway.kafka.codec.RecordCodec;
import io.spillway.kafka.topics.KafkaClients;
import io.spillway.kafka.topics.QueueAdmin;
import io.spillway.kafka.topics.QueueProgress;
import io.spillway.kafka.topics.TopicAdmin;
import io.spillway.kafka.topics.Topics;
import io.spillway.kafka.view.ApiKey;
import io.spillway.kafka.view.StoredKey;
import io.spillway.kafka.view.TenantPolicies;
import io.spillway.schema.WorkItem;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.LongStream;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Guarantee that the ledger balances with mixed traffic and killed processes. Each run is a scenario from a seed: four
 * by default, another number with {@code -Dspillway.test.ledger.runs=50}. The first seed is set with
 * {@code -Dspillway.test.seed}.
 */
@Timeout(1_800) // For each run; only against a hang.
@Tag("long")
class LedgerIT {
    private static final int ITEMS = 1_500;
    private static final int TENANTS = 8;
    /** Limit for each caller of one gateway process. */
    private static final int CALLS = 500;

    @RegisterExtension
    final KafkaUnderTest kafka = new KafkaUnderTest();

    @TempDir
    private Path directory;

    private final RecordCodec<WorkItem> codec = new RecordCodec<>(new WorkItem());
    private Configuration configuration;
    private Map<String, String> settings;
    private Topics topics;
    private Random random;

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void the_ledger_balances_after_any_kill(long seed) throws Exception {
        System.out.println("ledger: seed " + seed);
        String prefix = kafka.prefix();
        random = new Random(seed);
        settings = Map.of(
                "SPILLWAY_KAFKA_BOOTSTRAP_SERVERS", kafka.bootstrapServers(),
                "SPILLWAY_KAFKA_PREFIX", prefix,
                "SPILLWAY_TOPICS_PARTITIONS", "2",
                "SPILLWAY_TOPICS_REPLICATION", "1",
                "SPILLWAY_METRICS_PORT", "0",
                "SPILLWAY_DEFAULTS_ATTEMPTS", "3",
                "SPILLWAY_DEFAULTS_BACKOFFBASE", "50ms",
                "SPILLWAY_DEFAULTS_BACKOFFCAP", "500ms",
                "SPILLWAY_HANDLER_TYPE", "class",
                "SPILLWAY_HANDLER_CLASS", FlakyHandler.class.getName());
        configuration = ConfigurationLoader.load(Optional.empty(), settings, Map.of());
        topics = new Topics(configuration.queue());
        new TopicAdmin(kafka.admin()).createMissing(topics.all());
        Path data = directory.resolve(prefix);
        String key = key("t2");
        long accepted = sendAll();
        long perhapsAccepted = 0;
        for (int kill = 0; kill < 2; kill++) {
            GatewayCalls calls;
            try (SpillwayProcess router = start(data, "router");
                    SpillwayProcess worker = start(data, "worker");
                    SpillwayProcess gateway = start(data, "gateway")) {
                calls = new GatewayCalls(gateway, key, CALLS, seed);
                calls.awaitConfirmed();
                LockSupport.parkNanos(random.nextInt(1_000) * 1_000_000L);
                assertBalanced(seed, "while items move");
                List.of(router, worker, gateway).get(random.nextInt(3)).kill();
                LockSupport.parkNanos(random.nextInt(500) * 1_000_000L);
            }
            calls.end();
            assertThat(calls.refused()).as("seed %d: all items are valid", seed).isZero();
            accepted += calls.confirmed();
            perhapsAccepted += calls.unknown();
            assertBalanced(seed, "after kill " + kill);
            Disposal disposal = kill == 0 ? new Replay(topics, System.currentTimeMillis(), 1_000) : new Discard(topics);
            finishDeadLetters(disposal, 1 + random.nextInt(50));
            accepted += sendAll();
        }
        try (SpillwayProcess both =
                SpillwayProcess.start(data.resolve("router"), settings, "--roles", "router,worker")) {
            awaitEmpty();
            assertThat(both.stop()).isZero();
        }
        List<AuditedTenant> audited = assertBalanced(seed, "at the end");
        assertThat(audited.stream().mapToLong(tenant -> tenant.after().waiting()).sum())
                .as("seed %d: no item waits", seed).isZero();
        assertThat(audited).as("seed %d: no balance changes during the audit", seed).noneMatch(AuditedTenant::isMoving);
        assertThat(audited.stream().mapToLong(tenant -> tenant.after().accepted()).sum())
                .as("seed %d: sent or confirmed items, and perhaps the unconfirmed ones", seed)
                .isBetween(accepted, accepted + perhapsAccepted);
        for (ItemState state : List.of(ItemState.DONE, ItemState.DROPPED, ItemState.DEAD_LETTER)) {
            assertThat(sum(audited, state)).as("the scenario of seed %d reaches %s", seed, state).isPositive();
        }
        // Keeps the results of a long series that is interrupted.
        System.out.println("ledger: seed " + seed + " balances");
    }

    private SpillwayProcess start(Path data, String role) {
        return SpillwayProcess.start(data.resolve(role), settings, "--roles", role);
    }

    static LongStream seeds() {
        long first = Long.getLong("spillway.test.seed", System.nanoTime());
        return LongStream.range(first, first + Integer.getInteger("spillway.test.ledger.runs", 4));
    }

    private List<AuditedTenant> assertBalanced(long seed, String when) {
        try (Census census = new Census(configuration, InstantSource.system())) {
            List<AuditedTenant> audited = Audit.of(census);
            assertThat(audited.stream().filter(tenant -> !tenant.findings().isEmpty())
                            .map(tenant -> tenant.tenant() + " " + tenant.findings() + " balance " + tenant.after()))
                    .as("seed %d, %s", seed, when)
                    .isEmpty();
            return audited;
        }
    }

    private static long sum(List<AuditedTenant> audited, ItemState state) {
        return audited.stream().mapToLong(tenant -> tenant.after().in(state)).sum();
    }

    private void finishDeadLetters(Disposal disposal, int limit) {
        try (DeadLetterRun run = new DeadLetterRun(configuration, InstantSource.system())) {
            run.survey(DeadLetterFixture.ALL, disposal, limit, DeadLetterFixture.UNWATCHED)
                    .ifPresent(survey -> run.run(survey, DeadLetterFixture.ALL, disposal, DeadLetterFixture.UNWATCHED));
        }
    }

    private String key(String tenant) throws Exception {
        ApiKey key = ApiKey.make(random);
        try (Producer<byte[], byte[]> producer = new KafkaClients(configuration.queue()).producer()) {
            producer.send(new ProducerRecord<>(topics.keys(), bytes(key.keyId()),
                    StoredKey.of(tenant, key, 1).encode())).get();
        }
        return key.text();
    }

    /** Sends old and new items, within and above the rate, some that expire and some that are unreadable. */
    private long sendAll() throws Exception {
        try (Producer<byte[], byte[]> producer = new KafkaClients(configuration.queue()).producer()) {
            producer.send(new ProducerRecord<>(topics.policies(), bytes("t0"), TenantPolicies.encode("t0",
                    PolicySettings.NONE_SET.with(PolicyField.RATE, "100")))).get();
            producer.send(new ProducerRecord<>(topics.policies(), bytes("t1"), TenantPolicies.encode("t1",
                    PolicySettings.NONE_SET.with(PolicyField.TTL, "10m")))).get();
            for (int i = 0; i < ITEMS; i++) {
                String tenant = "t" + random.nextInt(TENANTS);
                long ageMillis = random.nextInt(10) == 0 ? 3_600_000 : 0;
                byte[] value = random.nextInt(50) == 0 ? bytes("nonsense") : codec.encode(new WorkItem(
                        tenant, "id-" + i, Instant.ofEpochMilli(System.currentTimeMillis() - ageMillis), "", null,
                        "text/plain", Map.of(), ByteBuffer.wrap(bytes(
                                FlakyHandler.PLANS[random.nextInt(FlakyHandler.PLANS.length)]))));
                producer.send(new ProducerRecord<>(topics.ingress(), random.nextInt(2), bytes(tenant), value));
            }
            producer.flush();
        }
        return ITEMS;
    }

    /** Waits until nothing waits and nothing moves: an item may go from delay to a lane that was counted before. */
    private void awaitEmpty() {
        QueueAdmin queues = new QueueAdmin(kafka.admin());
        try (Census census = new Census(configuration, InstantSource.system())) {
            while (queues.read(topics.ingress(), topics.routerGroup()).stream()
                            .mapToLong(QueueProgress::behind).sum() > 0
                    || Audit.of(census).stream()
                            .anyMatch(tenant -> tenant.isMoving() || tenant.after().waiting() > 0)) {
                LockSupport.parkNanos(100_000_000);
            }
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
