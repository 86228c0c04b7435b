package io.spillway.guarantee;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.spillway.Seed;
import io.spillway.config.Configuration;
import io.spillway.config.ConfigurationLoader;
import io.spillway.core.policy.PolicySettings;
import io.spillway.core.ratelimit.ProportionalRates;
import io.spillway.core.sharding.ShuffleSharder;
import io.spillway.gateway.AdminKey;
import io.spillway.gateway.Gateway;
import io.spillway.kafka.periodic.StartDelays;
import io.spillway.kafka.topics.KafkaClients;
import io.spillway.kafka.topics.TopicAdmin;
import io.spillway.kafka.topics.Topics;
import io.spillway.kafka.view.ApiKey;
import io.spillway.kafka.view.ApiKeys;
import io.spillway.kafka.view.DemandExchange;
import io.spillway.kafka.view.Demands;
import io.spillway.kafka.view.Depths;
import io.spillway.kafka.view.StoredKey;
import io.spillway.kafka.view.Sweeps;
import io.spillway.kafka.view.TenantPolicies;
import io.spillway.operator.QueueForTests;
import io.spillway.operator.report.FakeReads;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Gateways in front of a real Kafka: where they write, and the rate of a tenant that uses two of them. */
@Timeout(600) // Only against a hang.
class GatewaysIT {
    private static final int RATE = 200;
    private static final int LINES = 30;
    private static final long TICK_MILLIS = 50;
    private static final long SETTLING_MILLIS = 3_000;
    private static final long MEASURED_MILLIS = 10_000;

    @RegisterExtension
    final KafkaUnderTest kafka = new KafkaUnderTest();

    private final HttpClient client = HttpClient.newHttpClient();

    @Test
    void a_tenant_is_written_to_its_shard_of_ingress_alone_and_to_all_of_it() throws Exception {
        Seed seed = new Seed();
        long shardSeed = seed.random().nextLong();
        int size = 1 + seed.random().nextInt(5);
        Configuration configuration = configuration(Map.of(
                "SPILLWAY_TOPICS_PARTITIONS", "12",
                "SPILLWAY_SHARDS_SEED", Long.toString(shardSeed),
                "SPILLWAY_DEFAULTS_SHARDSIZE", Integer.toString(size)));
        Topics topics = topics(configuration);
        Map<String, Set<Integer>> expected = new HashMap<>();
        try (Door door = new Door(configuration, new ProportionalRates())) {
            for (int i = 0; i < 20; i++) {
                String tenant = "tenant-" + Long.toString(seed.random().nextLong() >>> 1, 36);
                int[] shard = new ShuffleSharder(12, shardSeed).shard(tenant, size);
                expected.put(tenant, Arrays.stream(shard).boxed().collect(Collectors.toSet()));
                // A shard is used in rotation, 64 items at a time.
                assertThat(door.accepted(tenant, 64 * (size + 1))).isEqualTo(64 * (size + 1));
            }
        }
        Map<String, Set<Integer>> written = new HashMap<>();
        kafka.readAll(topics.ingress()).forEach(record -> written
                .computeIfAbsent(new String(record.key(), StandardCharsets.UTF_8), absent -> new TreeSet<>())
                .add(record.partition()));
        assertThat(written).as(seed.toString()).isEqualTo(expected);
    }

    @Tag("long")
    @Test
    @Tag("alone") // The burst covers 1 s of the rate: a gateway without CPU for longer admits too few items.
    void an_admission_rate_holds_over_two_gateways_together() throws Exception {
        Configuration configuration = configuration(Map.of(
                "SPILLWAY_DEFAULTS_ADMISSIONRATE", Integer.toString(RATE), "SPILLWAY_DEFAULTS_ADMISSIONBURST", "200"));
        Topics topics = topics(configuration);
        ProportionalRates shares = new ProportionalRates();
        ProportionalRates others = new ProportionalRates();
        try (Door first = new Door(configuration, shares); Door second = new Door(configuration, others);
                DemandExchange<?> one = exchange(configuration, topics, "first", shares);
                DemandExchange<?> two = exchange(configuration, topics, "second", others)) {
            while (one.processes() < 2 || two.processes() < 2) {
                LockSupport.parkNanos(50_000_000);
            }
            long beganMillis = System.currentTimeMillis();
            long accepted = 0;
            long countedFromMillis = Long.MAX_VALUE;
            for (long tick = 0; tick * TICK_MILLIS < SETTLING_MILLIS + MEASURED_MILLIS; tick++) {
                long dueMillis = beganMillis + tick * TICK_MILLIS;
                LockSupport.parkUntil(dueMillis);
                boolean isCounted = tick * TICK_MILLIS >= SETTLING_MILLIS;
                if (isCounted) {
                    // Not when it was due: the loop may be late.
                    countedFromMillis = Math.min(countedFromMillis, System.currentTimeMillis());
                }
                int now = first.accepted("acme", LINES) + second.accepted("acme", LINES / 2);
                accepted += isCounted ? now : 0;
            }
            double tookSeconds = (System.currentTimeMillis() - countedFromMillis) / 1e3;
            System.out.println("accepted " + accepted / tookSeconds + "/s of " + RATE);
            assertThat(accepted / tookSeconds / RATE).isBetween(0.9, 1.1);
        }
    }

    private Configuration configuration(Map<String, String> more) {
        Map<String, String> settings = new HashMap<>(Map.of(
                "SPILLWAY_KAFKA_BOOTSTRAP_SERVERS", kafka.bootstrapServers(),
                "SPILLWAY_KAFKA_PREFIX", kafka.prefix(),
                "SPILLWAY_TOPICS_REPLICATION", "1",
                "SPILLWAY_GATEWAY_PORT", "0"));
        settings.putAll(more);
        return ConfigurationLoader.load(Optional.empty(), settings, Map.of());
    }

    private Topics topics(Configuration configuration) {
        Topics topics = new Topics(configuration.queue());
        new TopicAdmin(kafka.admin()).createMissing(topics.all());
        return topics;
    }

    private static DemandExchange<?> exchange(
            Configuration configuration, Topics topics, String name, ProportionalRates shares) {
        DemandExchange<?> exchange = DemandExchange.ofRates(new KafkaClients(configuration.queue()), topics,
                Demands.Role.GATEWAY, name, shares, InstantSource.system());
        exchange.start(Duration.ofMinutes(5), StartDelays.of(name));
        return exchange;
    }

    /** A gateway and a key for each tenant. */
    private final class Door implements AutoCloseable {
        private final ApiKeys keys = new ApiKeys();
        private final Map<String, String> texts = new HashMap<>();
        private final Gateway gateway;
        private final String url;

        Door(Configuration configuration, ProportionalRates shares) {
            this.gateway = new Gateway(configuration,
                    new Gateway.Dependencies(
                            new TenantPolicies(configuration.defaults().over(PolicySettings.NONE_SET)), keys,
                            AdminKey.of("0123456789abcdef"), Optional.empty(),
                            QueueForTests.operator(configuration), new Depths(), shares,
                            new SimpleMeterRegistry(), () -> "", () -> true, new Sweeps(), new FakeReads(),
                            Optional.empty()),
                    new Gateway.Sources(
                            InstantSource.system(), System::nanoTime, () -> ThreadLocalRandom.current().nextLong()));
            this.url = gateway.start();
        }

        /** Sends items in one batch and returns how many were accepted. */
        int accepted(String tenant, int items) throws Exception {
            String key = texts.computeIfAbsent(tenant, absent -> {
                ApiKey made = ApiKey.make(new SplittableRandom(tenant.hashCode()));
                keys.put(made.keyId(), StoredKey.of(tenant, made, 0).encode());
                return made.text();
            });
            HttpResponse<String> answer = client.send(
                    HttpRequest.newBuilder(URI.create(url + "/v1/items:batch"))
                            .header("Authorization", "Bearer " + key)
                            .POST(HttpRequest.BodyPublishers.ofString("{\"payload\":\"x\"}\n".repeat(items)))
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
            assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
            return (int) answer.body().lines().filter(line -> line.contains("\"status\":202")).count();
        }

        @Override
        public void close() {
            gateway.close();
        }
    }
}
