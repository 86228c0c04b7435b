package io.spillway.guarantee;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.config.Configuration;
import io.spillway.config.ConfigurationLoader;
import io.spillway.kafka.codec.RecordCodec;
import io.spillway.kafka.topics.KafkaClients;
import io.spillway.kafka.topics.TopicAdmin;
import io.spillway.kafka.topics.Topics;
import io.spillway.kafka.view.CompactedView;
import io.spillway.kafka.view.ShardAssignment;
import io.spillway.kafka.view.ShardAssignments;
import io.spillway.schema.WorkItem;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Guarantees of the shard stage after routers were killed during its writes. */
@Timeout(900) // Only against a hang.
@Tag("long")
class ShardsKilledIT {
    private static final int TENANTS = 600;
    private static final int KILLS = 4;
    private static final int OVERLAP = 1;

    @RegisterExtension
    final KafkaUnderTest kafka = new KafkaUnderTest();

    private final RecordCodec<WorkItem> items = new RecordCodec<>(new WorkItem());

    @Test
    void no_two_tenants_have_one_number_and_all_instances_agree_after_any_kill(@TempDir Path directory)
            throws Exception {
        long seed = Long.getLong("spillway.test.seed", System.nanoTime());
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        Map<String, String> settings = Map.of(
                "SPILLWAY_KAFKA_BOOTSTRAP_SERVERS", kafka.bootstrapServers(),
                "SPILLWAY_KAFKA_PREFIX", kafka.prefix(),
                "SPILLWAY_TOPICS_PARTITIONS", "4",
                "SPILLWAY_TOPICS_REPLICATION", "1",
                "SPILLWAY_METRICS_PORT", "0",
                "SPILLWAY_DEFAULTS_SHARD_SIZE", "3",
                "SPILLWAY_SHARDS_SLOTS", "128",
                "SPILLWAY_SHARDS_LARGEST", "3",
                "SPILLWAY_SHARDS_OVERLAP", Integer.toString(OVERLAP));
        Configuration configuration = ConfigurationLoader.load(Optional.empty(), settings, Map.of());
        Topics topics = new Topics(configuration.queue());
        new TopicAdmin(kafka.admin()).createMissing(topics.all());
        KafkaClients clients = new KafkaClients(configuration.queue());
        ShardAssignments view = new ShardAssignments();
        try (CompactedView reader = new CompactedView(
                clients, topics.shards(), view, 10_000, Optional.empty(), InstantSource.system())) {
            reader.start(Duration.ofMinutes(5));
            int sent = 0;
            for (int kill = 0; kill < KILLS; kill++) {
                Path data = directory.resolve("router-" + kill % 2);
                try (SpillwayProcess router = SpillwayProcess.start(data, settings)) {
                    int first = sent;
                    sent += TENANTS / (KILLS + 1);
                    send(clients, topics, first, sent);
                    int target = view.size() + random.nextInt(TENANTS / (KILLS + 1));
                    while (view.size() < target) {
                        LockSupport.parkNanos(2_000_000);
                    }
                    LockSupport.parkNanos(random.nextInt(60) * 1_000_000L);
                    router.kill();
                }
            }
            try (SpillwayProcess router = SpillwayProcess.start(directory.resolve("router-0"), settings);
                    SpillwayProcess other = SpillwayProcess.start(directory.resolve("router-1"), settings)) {
                // A tenant whose request was in an aborted transaction requests a shard again with its next item.
                while (view.size() < TENANTS) {
                    send(clients, topics, 0, TENANTS);
                    LockSupport.parkNanos(1_000_000_000);
                }
                assertThat(router.stop()).isZero();
                assertThat(other.stop()).isZero();
            }
            assertNumbersHold(topics, view, "seed " + seed);
        }
    }

    private void assertNumbersHold(Topics topics, ShardAssignments view, String what) {
        Map<String, ShardAssignment> written = latest(kafka.readAll(topics.shards()), what);
        Map<String, ShardAssignment> kept = latest(kafka.readAll(topics.shardsChangelog()), what);
        assertThat(written).as("the topic equals the changelog; %s", what).isEqualTo(kept).hasSize(TENANTS);
        assertThat(new HashMap<>(view.all())).as(what).isEqualTo(new HashMap<>(written));
        assertThat(written.values().stream().map(ShardAssignment::number))
                .as("different numbers, which have different polynomials; %s", what)
                .doesNotHaveDuplicates().allMatch(number -> number >= 0 && number < TENANTS);
    }

    /** Returns the assignments by tenant; asserts that no tenant has two. */
    private Map<String, ShardAssignment> latest(List<ConsumerRecord<byte[], byte[]>> records, String what) {
        Map<String, ShardAssignment> latest = new TreeMap<>();
        for (ConsumerRecord<byte[], byte[]> record : records) {
            String tenant = new String(record.key(), StandardCharsets.UTF_8);
            assertThat(latest.put(tenant, ShardAssignment.decode(record.value())))
                    .as("second assignment of %s; %s", tenant, what).isNull();
        }
        return latest;
    }

    private void send(KafkaClients clients, Topics topics, int from, int to) {
        List<byte[]> values = new ArrayList<>();
        for (int i = from; i < to; i++) {
            values.add(items.encode(new WorkItem(
                    "tenant-" + i, "id", Instant.ofEpochMilli(System.currentTimeMillis()), "", null, "text/plain",
                    Map.of(), ByteBuffer.wrap(new byte[] {1}))));
        }
        try (Producer<byte[], byte[]> producer = clients.producer()) {
            values.forEach(value -> producer.send(new ProducerRecord<>(topics.ingress(), value)));
        }
    }
}
