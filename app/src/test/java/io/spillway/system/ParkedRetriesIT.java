package io.spillway.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.spillway.audit.Census;
import io.spillway.audit.StoredItem;
import io.spillway.config.Configuration;
import io.spillway.config.ConfigurationLoader;
import io.spillway.core.item.Lane;
import io.spillway.core.retry.AttemptCounts;
import io.spillway.core.retry.RetryKey;
import io.spillway.guarantee.KafkaUnderTest;
import io.spillway.kafka.codec.AttemptReports;
import io.spillway.kafka.topics.KafkaClients;
import io.spillway.kafka.topics.TopicAdmin;
import io.spillway.kafka.topics.Topics;
import io.spillway.kafka.view.ShardAssignments;
import io.spillway.kafka.view.Sweeps;
import io.spillway.kafka.view.TenantPolicies;
import io.spillway.router.Router;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Retries that the budget refuses, with a broker: in the changelog, in the census, after a restore, and released. */
@Timeout(900) // Against a hang; nothing is measured.
class ParkedRetriesIT {
    private static final int ITEMS = 500;
    /** The saved retry and the trickle; a router that starts has them again. */
    private static final int GRANTED = 2;

    @RegisterExtension
    final KafkaUnderTest kafka = new KafkaUnderTest();

    @TempDir
    private Path state;

    private Configuration configuration;
    private Topics topics;
    private SimpleMeterRegistry registry = new SimpleMeterRegistry();

    @Test
    void parked_items_are_found_by_the_census_and_restored_from_the_changelog_and_go_when_successes_are_reported() {
        configuration = ConfigurationLoader.load(Optional.empty(), Map.of(), Map.of(
                "kafka.bootstrapServers", kafka.bootstrapServers(), "kafka.prefix", kafka.prefix(),
                "topics.partitions", "1", "topics.replication", "1", "defaults.retryTokens", "1",
                "retry.destinationTrickle", "1d", "retry.tenantTrickle", "1d"));
        topics = new Topics(configuration.queue());
        new TopicAdmin(kafka.admin()).createMissing(topics.all());
        try (Producer<byte[], byte[]> producer = new KafkaClients(configuration.queue()).producer()) {
            try (Router router = router("a")) {
                for (int i = 0; i < ITEMS; i++) {
                    producer.send(retry(i));
                }
                producer.flush();
                await(() -> parked() == ITEMS - GRANTED && released() == GRANTED);
                assertThat(census(StoredItem.Progress.PARKED)).isEqualTo(ITEMS - GRANTED);
                assertThat(census(StoredItem.Progress.TIMER)).isZero();
                assertThat(router.isRunning()).isTrue();
            }
            registry = new SimpleMeterRegistry();
            try (Router router = router("b")) {
                await(() -> released() == 2 * GRANTED && parked() == ITEMS - 2 * GRANTED);
                AttemptReports reports = new AttemptReports();
                await(() -> {
                    // Also because the router reads from the end of the topic as it is when it starts.
                    producer.send(new ProducerRecord<>(topics.attempts(), new byte[] {1, 2, 3}));
                    producer.send(new ProducerRecord<>(topics.attempts(), reports.encode(
                            "w", new AttemptReports.Report(List.of(new AttemptCounts(
                                    new RetryKey("", "acme"), AttemptCounts.UNKNOWN, 100, 100, 0, 0)), List.of()), 0)));
                    return released() == ITEMS;
                });
                await(() -> parked() == 0);
                assertThat(registry.get("spillway.attempts.skipped").functionCounter().count()).isPositive();
                assertThat(census(StoredItem.Progress.PARKED)).isZero();
                assertThat(kafka.readAll(topics.lane(Lane.HOT))).extracting(each -> each.headers()
                                .lastHeader("x-number").value()[0]).hasSize(ITEMS);
                assertThat(router.isRunning()).isTrue();
            }
        }
    }

    private Router router(String directory) {
        Router router = new Router(configuration, "it", state.resolve(directory),
                new TenantPolicies(configuration.defaults()), new Sweeps(), new ShardAssignments(), registry,
                InstantSource.system(), System::nanoTime);
        router.start(Duration.ofMinutes(5));
        return router;
    }

    private ProducerRecord<byte[], byte[]> retry(int number) {
        ProducerRecord<byte[], byte[]> record =
                new ProducerRecord<>(topics.lane(Lane.DELAY), 0, null, null, new byte[100]);
        Map.of("spillway-tenant", "acme", "spillway-origin", "i-0-" + number, "spillway-lane-reason", "retry",
                        "spillway-attempt", "1", "x-number", Integer.toString(number),
                        "spillway-due", Long.toString(System.currentTimeMillis() + number % 10 * 100),
                        "spillway-enqueued-at", Long.toString(System.currentTimeMillis()))
                .forEach((name, value) -> record.headers().add(name, value.getBytes(StandardCharsets.UTF_8)));
        return record;
    }

    private double parked() {
        return registry.get("spillway.delay.parked").gauges().stream().mapToDouble(each -> each.value()).sum();
    }

    private int released() {
        return kafka.readAll(topics.lane(Lane.HOT)).size();
    }

    private long census(StoredItem.Progress progress) {
        long[] found = new long[1];
        try (Census census = new Census(configuration, InstantSource.system())) {
            census.forEach(false, item -> found[0] += item.progress() == progress ? 1 : 0);
        }
        return found[0];
    }

    private static void await(BooleanSupplier condition) {
        while (!condition.getAsBoolean()) {
            Thread.onSpinWait();
        }
    }
}
