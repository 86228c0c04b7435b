package io.spillway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.item.Lane;
import io.spillway.embedded.EmbeddedKafka;
import io.spillway.embedded.ProviderPolicy.Provider;
import io.spillway.guarantee.KafkaUnderTest;
import io.spillway.kafka.codec.ItemHeaders;
import io.spillway.runtime.Role;
import io.spillway.runtime.RunningSystem;
import io.spillway.runtime.Shutdown;
import io.spillway.runtime.StartOptions;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.FeatureUpdate;
import org.apache.kafka.clients.admin.UpdateFeaturesOptions;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Brokers that refuse the settings of topics that providers refuse. */
@Timeout(600) // Against a hang; nothing is measured.
class ManagedClusterIT {
    private static final int LARGE_BYTES = 6_000_000;

    @TempDir
    Path directory;

    @Test
    void what_confluent_cloud_fixes_is_a_warning_and_a_record_that_its_compression_hides_is_a_dead_letter()
            throws Exception {
        try (EmbeddedKafka kafka = Provider.CONFLUENT_CLOUD.start(directory.resolve("kafka"))) {
            CommandsUnderTest commands = commands(kafka, "");
            assertThat(commands.run("topics", "create").done().outLines())
                    .contains("created spillway.ingress", "All topics can be used.")
                    .filteredOn(line -> line.startsWith("Warning")).hasSize(3)
                    .contains("Warning: compression.type is producer instead of uncompressed in topics"
                            + " spillway.ingress, spillway.delay: the size of a record is known only when it is read.")
                    .anyMatch(line -> line.startsWith("Warning: segment.bytes is 1073741824 instead of 16777216 in"))
                    .anyMatch(line -> line.startsWith("Warning: min.cleanable.dirty.ratio is 0.5 instead of 0.2 in"));
            assertThat(commands.run("doctor").out()).contains("topics");

            Shutdown router = new Shutdown();
            RunningSystem.start(commands.configuration(),
                    new StartOptions(directory.resolve("router"), Set.of(Role.ROUTER), false, ""), router);
            try (router) {
                send(kafka, commands, new byte[LARGE_BYTES]);
                send(kafka, commands, new byte[10]);
                String dead = commands.topics().lane(Lane.DEAD_LETTER);
                awaitOne(kafka, commands.topics().lane(Lane.HOT));
                ConsumerRecord<byte[], byte[]> letter = awaitOne(kafka, dead);
                assertThat(text(letter, ItemHeaders.DEAD_REASON)).isEqualTo("too-large");
                assertThat(Integer.parseInt(text(letter, ItemHeaders.DEAD_CUT_FROM))).isGreaterThan(LARGE_BYTES);
            }
            commands.run("audit").done();
            assertThat(commands.run("dead-letters", "replay", "--dry-run").err())
                    .contains("only the beginning of its 60", " bytes was kept");
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"MSK", "AIVEN"})
    void a_provider_that_allows_all_settings_gets_the_declared_ones(Provider provider) throws Exception {
        try (EmbeddedKafka kafka = provider.start(directory.resolve("kafka"))) {
            assertThat(commands(kafka, "").run("topics", "create").done().outLines())
                    .endsWith("All topics match the configuration.");
        }
    }

    /** MSK Serverless has a Kafka without them; Redpanda implements none. */
    @Test
    void a_cluster_without_safe_transactions_is_refused_with_the_reason() throws Exception {
        try (EmbeddedKafka kafka = Provider.MSK_SERVERLESS.start(directory.resolve("kafka"));
                Admin admin = Admin.create(Map.of("bootstrap.servers", kafka.bootstrapServers()))) {
            admin.updateFeatures(Map.of("transaction.version",
                    new FeatureUpdate((short) 1, FeatureUpdate.UpgradeType.SAFE_DOWNGRADE)),
                    new UpdateFeaturesOptions()).all().get();
            CommandsUnderTest commands = commands(kafka, "");
            commands.run("topics", "create");
            CommandRun check = commands.run("topics", "check");
            assertThat(check.exitCode()).isEqualTo(1);
            assertThat(check.out()).contains("the cluster's transaction.version is 1, but must be 2 or more (KIP-890)");
        }
    }

    @Test
    void a_retention_with_an_end_is_refused_until_it_is_set() throws Exception {
        try (EmbeddedKafka kafka = Provider.SEVEN_DAYS.start(directory.resolve("kafka"))) {
            CommandRun refused = commands(kafka, "").run("topics", "create");
            assertThat(refused.exitCode()).isEqualTo(1);
            assertThat(refused.outLines()).anyMatch(line -> line.startsWith("topic spillway.hot has"
                    + " retention.ms=604800000 but must have -1 (Kafka deletes items that wait for longer; if the"
                    + " cluster allows no more, set topics.retention)"));
            assertThat(commands(kafka, "  retention: 7d\n").run("topics", "check").done().outLines())
                    .endsWith("All topics can be used.");
        }
    }

    private CommandsUnderTest commands(EmbeddedKafka kafka, String topics) {
        return new CommandsUnderTest(kafka.bootstrapServers(), "spillway", CommandsUnderTest.written(directory,
                CommandsUnderTest.SMALL.replace("topics:\n", "topics:\n" + topics)));
    }

    private static void send(EmbeddedKafka kafka, CommandsUnderTest commands, byte[] value) throws Exception {
        try (Producer<byte[], byte[]> producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", kafka.bootstrapServers(), "compression.type", "zstd",
                        "max.request.size", 2 * LARGE_BYTES), new ByteArraySerializer(), new ByteArraySerializer())) {
            ProducerRecord<byte[], byte[]> item = new ProducerRecord<>(commands.topics().ingress(), value);
            item.headers().add(ItemHeaders.TENANT, "acme".getBytes(StandardCharsets.UTF_8));
            producer.send(item).get();
        }
    }

    private static ConsumerRecord<byte[], byte[]> awaitOne(EmbeddedKafka kafka, String topic) {
        List<ConsumerRecord<byte[], byte[]>> records = List.of();
        while (records.isEmpty() && !Thread.currentThread().isInterrupted()) {
            LockSupport.parkNanos(50_000_000);
            records = KafkaUnderTest.readAll(kafka.bootstrapServers(), topic);
        }
        return records.getFirst();
    }

    private static String text(ConsumerRecord<byte[], byte[]> record, String header) {
        return ItemHeaders.text(record.headers(), header).orElseThrow();
    }
}
