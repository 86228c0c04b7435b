package io.spillway.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.guarantee.KafkaUnderTest;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(900) // Against a hang; nothing is measured.
class EmbeddedKafkaIT {
    private static final String TOPIC = "items";

    private final Set<Thread> threadsBefore = Thread.getAllStackTraces().keySet();

    @TempDir
    Path directory;

    @Test
    void a_committed_record_is_read_and_an_aborted_one_is_not() throws Exception {
        try (EmbeddedKafka kafka = EmbeddedKafka.start(directory, 0)) {
            createTopic(kafka);
            send(kafka, "kept", true);
            send(kafka, "aborted", false);

            assertThat(values(kafka)).containsExactly("kept");
        }
    }

    @Test
    void keeps_its_records_across_restarts_on_any_port() throws Exception {
        int firstPort;
        try (EmbeddedKafka kafka = EmbeddedKafka.start(directory, 0)) {
            firstPort = kafka.port();
            createTopic(kafka);
            send(kafka, "before", true);
        }
        try (EmbeddedKafka samePort = EmbeddedKafka.start(directory, firstPort)) {
            assertThat(samePort.bootstrapServers()).isEqualTo("127.0.0.1:" + firstPort);
            assertThat(values(samePort)).containsExactly("before");
        }
        try (ServerSocket taken = new ServerSocket(firstPort, 1, InetAddress.getLoopbackAddress());
                EmbeddedKafka otherPort = EmbeddedKafka.start(directory, 0)) {
            assertThat(otherPort.port()).isNotEqualTo(taken.getLocalPort());
            send(otherPort, "after", true);
            assertThat(values(otherPort)).containsExactly("before", "after");
        }
    }

    @Test
    void keeps_its_records_when_it_is_killed_and_restarts_on_the_same_port() throws Exception {
        try (BrokerProcess broker = BrokerProcess.start(directory.resolve("data"))) {
            String bootstrapServers = broker.bootstrapServers();
            long firstPid = broker.pid();
            createTopic(bootstrapServers);
            send(bootstrapServers, "before", true);

            broker.kill();
            broker.restart();

            assertThat(broker.pid()).isNotEqualTo(firstPid);
            assertThat(broker.bootstrapServers()).isEqualTo(bootstrapServers);
            send(bootstrapServers, "after", true);
            assertThat(values(bootstrapServers)).containsExactly("before", "after");
        }
    }

    @Test
    void two_brokers_run_in_parallel_in_separate_directories() throws Exception {
        try (EmbeddedKafka left = EmbeddedKafka.start(directory.resolve("left"), 0);
                EmbeddedKafka right = EmbeddedKafka.start(directory.resolve("right"), 0)) {
            createTopic(left);
            createTopic(right);
            send(left, "left", true);
            send(right, "right", true);

            assertThat(values(left)).containsExactly("left");
            assertThat(values(right)).containsExactly("right");
        }
    }

    @Test
    void has_transactions_that_verify_every_partition() throws Exception {
        try (EmbeddedKafka kafka = EmbeddedKafka.start(directory, 0);
                Admin admin = admin(kafka.bootstrapServers())) {
            var features = admin.describeFeatures().featureMetadata().get().finalizedFeatures();

            assertThat(features.get("transaction.version").maxVersionLevel()).isGreaterThanOrEqualTo((short) 2);
        }
    }

    @Test
    void never_creates_an_undeclared_topic() throws Exception {
        try (EmbeddedKafka kafka = EmbeddedKafka.start(directory, 0);
                Admin admin = admin(kafka.bootstrapServers());
                var consumer = new KafkaConsumer<>(
                        Map.of("bootstrap.servers", kafka.bootstrapServers(), "allow.auto.create.topics", "true"),
                        new ByteArrayDeserializer(),
                        new ByteArrayDeserializer())) {
            assertThat(consumer.partitionsFor("undeclared")).isEmpty();

            assertThat(admin.listTopics().names().get()).isEmpty();
        }
    }

    @Test
    void rejects_a_directory_in_use_by_this_process_without_affecting_its_broker() throws Exception {
        try (EmbeddedKafka kafka = EmbeddedKafka.start(directory, 0)) {
            createTopic(kafka);

            assertRejected(directory, 0, "is in use by another running Kafka");
            Path otherName = directory.resolve("..").resolve(directory.getFileName());
            assertRejected(otherName, 0, "is in use by another running Kafka");

            send(kafka, "undisturbed", true);
            assertThat(values(kafka)).containsExactly("undisturbed");
        }
    }

    @Test
    void rejects_a_directory_in_use_by_another_process_until_that_ends() throws Exception {
        Path data = directory.resolve("data");
        BrokerProcess broker = BrokerProcess.start(data);
        try (broker) {
            assertRejected(data, 0, "is in use by another running Kafka");
        }
        assertStarts(data, 0);
    }

    @Test
    void rejects_a_port_in_use_and_then_starts_in_the_same_directory() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            int port = taken.getLocalPort();
            assertRejected(directory, port, "Kafka cannot listen on 127.0.0.1:" + port + " (Address already in use)");
        }
        assertStarts(directory, 0);
    }

    @Test
    void rejects_a_file_in_place_of_the_directory() throws Exception {
        Path file = Files.createFile(directory.resolve("file"));

        assertRejected(file, 0, file + " is not a directory");
        assertRejected(file.resolve("below"), 0, "cannot be written");
    }

    @Test
    void rejects_a_directory_with_other_files_and_changes_none() throws Exception {
        Path letter = Files.writeString(directory.resolve("letter.txt"), "dear");

        assertRejected(directory, 0, "is not empty but has no meta.properties");

        assertThat(directory).isDirectoryNotContaining(file -> !file.equals(letter));
        assertThat(letter).hasContent("dear");
        Files.delete(letter);
        assertStarts(directory, 0);
    }

    @Test
    void rejects_invalid_meta_properties() throws Exception {
        Path data = formatted("data");
        Path meta = data.resolve("meta.properties");
        byte[] good = Files.readAllBytes(meta);
        Files.write(meta, new byte[] {0, 1, 2, (byte) 0xff});

        assertRejected(data, 0, "meta.properties is incomplete");

        Files.write(meta, good);
        assertStarts(data, 0);
    }

    @Test
    void rejects_the_data_of_another_cluster() throws Exception {
        Path data = formatted("data");
        Path meta = data.resolve("meta.properties");
        Files.writeString(meta, Files.readString(meta).replace("node.id=1", "node.id=7"));

        assertRejected(data, 0, "it belongs to another Kafka cluster (node 7)");
    }

    @Test
    void rejects_data_without_a_metadata_log() throws Exception {
        Path data = formatted("data");
        delete(data.resolve("__cluster_metadata-0"));

        assertRejected(data, 0, "the metadata log is missing");
    }

    @Test
    void an_invalid_metadata_log_fails_the_start_and_leaves_no_thread() throws Exception {
        Path data = formatted("data");
        try (Stream<Path> files = Files.list(data.resolve("__cluster_metadata-0"))) {
            for (Path file : files.filter(name -> name.toString().endsWith(".checkpoint")).toList()) {
                Files.write(file, new byte[] {0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 2, 7, 7, 7, 7});
            }
        }

        assertRejected(data, 0, "Kafka did not start on the data directory");

        assertThat(brokerThreads()).isEmpty();
        assertStarts(directory.resolve("good"), 0);
    }

    @Test
    void an_invalid_topic_directory_fails_the_start_and_leaves_no_thread() throws Exception {
        Path data = formatted("data");
        Files.createDirectory(data.resolve("holiday pictures"));

        assertRejected(data, 0, "Kafka did not start on the data directory");

        assertThat(brokerThreads()).isEmpty();
        assertStarts(directory.resolve("good"), 0);
    }

    @Test
    void starts_after_a_first_start_that_was_killed_during_formatting() throws Exception {
        Path formatted = formatted("formatted");
        Path data = Files.createDirectory(directory.resolve("data"));
        Path log = Files.createDirectory(data.resolve("__cluster_metadata-0"));
        String checkpoint = "00000000000000000000-0000000000.checkpoint";
        Files.copy(formatted.resolve(log.getFileName()).resolve(checkpoint), log.resolve(checkpoint));
        Files.copy(formatted.resolve("bootstrap.checkpoint"), data.resolve("bootstrap.checkpoint"));
        Files.writeString(data.resolve("bootstrap.checkpoint.tmp"), "half");
        Files.writeString(data.resolve("meta.properties.tmp"), "half");

        assertStarts(data, 0);
    }

    @Test
    void leaves_no_thread_and_can_be_closed_twice() {
        EmbeddedKafka kafka = EmbeddedKafka.start(directory, 0);
        assertThat(brokerThreads()).isNotEmpty();

        kafka.close();
        kafka.close();

        assertThat(brokerThreads()).isEmpty();
    }

    /** Returns the threads of this test's brokers, without the shared daemons of Kafka's metrics library. */
    private List<String> brokerThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> !threadsBefore.contains(thread))
                .filter(thread -> thread.getThreadGroup() instanceof FatalFaults)
                .map(Thread::getName)
                .filter(name -> !name.startsWith("metrics-meter-tick-thread"))
                .toList();
    }

    private Path formatted(String name) {
        Path data = directory.resolve(name);
        assertStarts(data, 0);
        return data;
    }

    private static void assertStarts(Path directory, int port) {
        try (EmbeddedKafka kafka = EmbeddedKafka.start(directory, port)) {
            assertThat(kafka.port()).isPositive();
        }
    }

    private static void assertRejected(Path directory, int port, String reason) {
        assertThatThrownBy(() -> EmbeddedKafka.start(directory, port).close())
                .isInstanceOf(EmbeddedKafkaException.class)
                .hasMessageContaining(reason)
                .hasMessageNotContaining("\n");
    }

    private static void createTopic(EmbeddedKafka kafka) throws Exception {
        createTopic(kafka.bootstrapServers());
    }

    private static void createTopic(String bootstrapServers) throws Exception {
        try (Admin admin = admin(bootstrapServers)) {
            admin.createTopics(Set.of(new NewTopic(TOPIC, 1, (short) 1))).all().get();
        }
    }

    private static void send(EmbeddedKafka kafka, String value, boolean commit) {
        send(kafka.bootstrapServers(), value, commit);
    }

    private static void send(String bootstrapServers, String value, boolean commit) {
        Map<String, Object> settings =
                Map.of("bootstrap.servers", bootstrapServers, "transactional.id", "test", "retry.backoff.ms", 5);
        try (var producer = new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer())) {
            producer.initTransactions();
            producer.beginTransaction();
            producer.send(new ProducerRecord<>(TOPIC, value));
            producer.flush();
            if (commit) {
                producer.commitTransaction();
            } else {
                producer.abortTransaction();
            }
        }
    }

    private static List<String> values(EmbeddedKafka kafka) {
        return values(kafka.bootstrapServers());
    }

    private static List<String> values(String bootstrapServers) {
        return KafkaUnderTest.readAll(bootstrapServers, TOPIC).stream()
                .map(record -> new String(record.value(), StandardCharsets.UTF_8))
                .toList();
    }

    private static Admin admin(String bootstrapServers) {
        return Admin.create(Map.of("bootstrap.servers", bootstrapServers));
    }

    private static void delete(Path path) throws IOException {
        if (Files.isDirectory(path)) {
            try (Stream<Path> entries = Files.list(path)) {
                for (Path entry : entries.toList()) {
                    delete(entry);
                }
            }
        }
        Files.delete(path);
    }
}
