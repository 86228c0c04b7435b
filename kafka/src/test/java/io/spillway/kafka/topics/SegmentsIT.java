package io.spillway.kafka.topics;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.policy.SettingsBinder;
import io.spillway.embedded.EmbeddedKafka;
import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The files of Spillway's topics in a broker's data directory. */
@Timeout(900) // Against a hang; nothing is measured.
class SegmentsIT {
    private static final int MIB = 1024 * 1024;

    @TempDir
    Path directory;

    private EmbeddedKafka kafka;
    private KafkaClients clients;
    private Admin admin;
    private Topics topics;

    @BeforeEach
    void start() {
        kafka = EmbeddedKafka.start(directory, 0);
        QueueSettings settings = new SettingsBinder(Map.of(
                "kafka.bootstrapServers", kafka.bootstrapServers(), "topics.partitions", "1"))
                .bind(QueueSettings.class);
        QueueSettings queue = new QueueSettings(settings.kafka(), settings.topics().embedded(), settings.shards());
        clients = new KafkaClients(queue);
        topics = new Topics(queue);
        admin = clients.admin();
    }

    @AfterEach
    void stop() {
        admin.close();
        kafka.close();
    }

    @Test
    void timestamps_that_jump_by_days_start_no_segments_in_any_topic() throws Exception {
        new TopicAdmin(admin).createMissing(topics.all());
        Instant first = Instant.parse("2020-01-01T00:00:00Z");
        try (Producer<byte[], byte[]> producer = clients.producer(Map.of("linger.ms", 0))) {
            for (TopicSpec topic : topics.all()) {
                for (int i = 0; i < 2_000; i++) {
                    producer.send(new ProducerRecord<>(topic.name(), 0,
                            first.plus(Duration.ofDays(8L * i)).toEpochMilli(), bytes("key " + i), new byte[90]));
                    if (i % 20 == 0) {
                        // Kafka looks at the timestamps of a batch, so there are many batches.
                        producer.flush();
                    }
                }
            }
        }
        assertThat(topics.all()).allSatisfy(
                topic -> assertThat(segments(topic.name())).as(topic.name()).hasSize(1));
    }

    @Test
    void a_compacted_topic_stays_small_on_disk_however_much_was_written() throws Exception {
        new TopicAdmin(admin).createMissing(topics.all());
        try (Producer<byte[], byte[]> producer = clients.producer()) {
            for (int i = 0; i < 64 * 1024; i++) {
                producer.send(new ProducerRecord<>(topics.depths(), bytes("tenant-" + i % 1_000), new byte[1_024]));
            }
        }
        long deadlineNanos = System.nanoTime() + Duration.ofMinutes(4).toNanos();
        while (bytesOf(topics.depths()) > 24 * MIB && System.nanoTime() < deadlineNanos) {
            LockSupport.parkNanos(50_000_000);
        }
        assertThat(bytesOf(topics.depths())).as("1 MiB of values, and segments that are still open or not compacted")
                .isLessThan(24 * MIB);
    }

    @Test
    void topics_of_an_earlier_version_get_the_settings_that_are_required_now() {
        List<TopicSpec> earlier = topics.all().stream().map(spec -> {
            Map<String, String> configs = new HashMap<>(spec.configs());
            configs.remove("segment.ms");
            configs.remove("segment.bytes");
            configs.put("message.timestamp.type", "CreateTime");
            return new TopicSpec(spec.name(), spec.partitions(), spec.replication(), configs);
        }).toList();
        TopicAdmin topicAdmin = new TopicAdmin(admin, clients.commands());
        topicAdmin.createMissing(earlier);
        TopicCheck check = new TopicCheck(admin, clients.commands());
        TopicCheck.Findings found = check.compare(topics.all());
        assertThat(found.problems()).containsExactly("topic spillway.ingress has message.timestamp.type=CreateTime but"
                + " must have LogAppendTime (ages and sweeps go by the wrong times). Correct it with: kafka-configs.sh"
                + " --bootstrap-server " + kafka.bootstrapServers() + " --alter --entity-type topics"
                + " --entity-name spillway.ingress --add-config message.timestamp.type=LogAppendTime");
        assertThat(found.warnings()).contains("segment.bytes is 1073741824 instead of 67108864 in topics"
                + " spillway.ingress, spillway.hot, spillway.overflow and 4 others: finished records stay on disk for"
                + " longer or shorter, and starts read more");

        assertThat(topicAdmin.alignSettings(topics.all())).hasSameSizeAs(topics.all());

        assertThat(check.compare(topics.all())).isEqualTo(new TopicCheck.Findings(List.of(), List.of()));
        assertThat(topicAdmin.alignSettings(topics.all())).as("a second time").isEmpty();
    }

    private List<Path> segments(String topic) throws Exception {
        try (Stream<Path> files = Files.list(directory.resolve(topic + "-0"))) {
            return files.filter(file -> file.toString().endsWith(".log")).toList();
        }
    }

    private long bytesOf(String topic) throws Exception {
        return segments(topic).stream().map(Path::toFile).mapToLong(File::length).sum();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
