package io.spillway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.spillway.core.item.Lane;
import io.spillway.guarantee.ExactlyOneLane;
import io.spillway.guarantee.KafkaUnderTest;
import io.spillway.kafka.codec.ItemHeaders;
import io.spillway.kafka.topics.Topics;
import io.spillway.runtime.Role;
import io.spillway.runtime.RunningSystem;
import io.spillway.runtime.Shutdown;
import io.spillway.runtime.StartOptions;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Records of topics that a plain producer fills. */
@Timeout(600) // Against a hang; nothing is measured.
@SuppressWarnings("try") // A router need only be open.
class SourcesIT {
    @RegisterExtension
    final KafkaUnderTest kafka = new KafkaUnderTest();

    @TempDir
    Path directory;

    private final List<String> origins = new ArrayList<>();
    private String topic;

    @Test
    void each_record_is_one_item_with_its_own_bytes_and_the_topic_stays_as_it_is() throws Exception {
        CommandsUnderTest commands = commands("earliest");
        commands.run("topics", "create").done();
        create(Map.of());
        send("{\"customer\": \"Acme & Co\", \"n\": 1}");
        send("{\"customer\": null}");
        send("no json");
        try (Shutdown router = started(commands)) {
            for (int i = 0; i < 200; i++) {
                send("{\"customer\": \"c" + i % 7 + "\", \"n\": " + i + "}");
            }
            awaitRouted(commands, 203);
            JsonNode listed = list(commands);
            assertThat(listed.get("topic").asText()).isEqualTo(topic);
            assertThat(listed.get("partitions").asInt()).isEqualTo(2);
            assertThat(listed.get("readers").asInt()).isPositive();
            assertThat(listed.get("problem").isNull()).isTrue();
            assertThat(commands.run("depth", "--output", "json").json().at("/sources/0/name").asText())
                    .isEqualTo("orders");
        }
        assertThat(new ExactlyOneLane(kafka, commands.topics()).breaches(origins)).isEmpty();
        ConsumerRecord<byte[], byte[]> item = KafkaUnderTest
                .readAll(kafka.bootstrapServers(), commands.topics().lane(Lane.HOT)).stream()
                .filter(record -> text(record.headers().lastHeader(ItemHeaders.TENANT).value())
                        .equals("Acme%20&%20Co")).findFirst().orElseThrow();
        assertThat(text(item.value())).isEqualTo("{\"customer\": \"Acme & Co\", \"n\": 1}");
        assertThat(text(item.headers().lastHeader("trace").value())).isEqualTo("t-1");
        assertThat(KafkaUnderTest.readAll(kafka.bootstrapServers(), commands.topics().lane(Lane.DEAD_LETTER)))
                .extracting(dead -> text(dead.headers().lastHeader(ItemHeaders.DEAD_REASON).value()))
                .containsExactlyInAnyOrder("bad-tenant", "malformed");
        assertThat(KafkaUnderTest.readAll(kafka.bootstrapServers(), topic)).hasSize(203);
        assertThat(commands.run("audit", "--sources").done().outLines())
                .anyMatch(line -> line.matches("orders +203 +203 *"));
        JsonNode audited = commands.run("audit", "--sources", "--output", "json").json().at("/sources/0");
        assertThat(audited.get("correct").asBoolean()).isTrue();
        assertThat(audited.get("records").asLong()).isEqualTo(203);
    }

    @Test
    void a_topic_that_is_created_later_and_gets_more_partitions_is_read_from_its_start() throws Exception {
        CommandsUnderTest commands = commands("earliest");
        commands.run("topics", "create").done();
        try (Shutdown router = started(commands)) {
            assertThat(list(commands).get("problem").asText()).isEqualTo(
                    "topic " + topic + " does not exist. Create it, or correct the name");
            assertThat(commands.run("depth").outLines()).anyMatch(line ->
                    line.matches("orders +0 +topic " + topic + " does not exist.*"));
            assertThat(commands.run("doctor").out()).contains("Source orders: topic " + topic + " does not exist");
            create(Map.of());
            send("{\"customer\": \"a\"}");
            awaitRouted(commands, 1);
            kafka.admin().createPartitions(Map.of(topic, NewPartitions.increaseTo(5))).all().get();
            for (int i = 0; i < 100; i++) {
                send("{\"customer\": \"b\"}");
            }
            assertThat(origins).anyMatch(origin -> origin.startsWith(topic + "-4-"));
        }
        // A router that runs looks for new partitions every five minutes, and one that starts at once.
        try (Shutdown router = started(commands)) {
            awaitRouted(commands, 101);
        }
        assertThat(new ExactlyOneLane(kafka, commands.topics()).breaches(origins)).isEmpty();
    }

    @Test
    void a_source_that_begins_at_the_latest_record_begins_there_once() throws Exception {
        CommandsUnderTest commands = commands("latest");
        commands.run("topics", "create").done();
        create(Map.of());
        send("{\"customer\": \"before\"}");
        origins.clear();
        try (Shutdown router = started(commands)) {
            while (list(commands).get("readers").asInt() == 0) {
                LockSupport.parkNanos(10_000_000);
            }
            send("{\"customer\": \"during\"}");
            awaitRouted(commands, 1);
        }
        send("{\"customer\": \"while stopped\"}");
        try (Shutdown router = started(commands)) {
            awaitRouted(commands, 2);
        }
        assertThat(new ExactlyOneLane(kafka, commands.topics()).breaches(origins)).isEmpty();
        assertThat(commands.run("audit", "--sources").done().out()).contains("it began at the latest record");
        JsonNode audited = commands.run("audit", "--sources", "--output", "json").done().json();
        assertThat(audited.at("/sources/0/correct").isNull()).as("nobody knows").isTrue();
        assertThat(audited.get("balanced").booleanValue()).isTrue();
    }

    @Test
    void an_audit_finds_records_that_became_items_twice() throws Exception {
        CommandsUnderTest commands = commands("earliest");
        commands.run("topics", "create").done();
        create(Map.of());
        send("{\"customer\": \"a\"}");
        for (int times = 1; times <= 2; times++) {
            try (Shutdown router = started(commands)) {
                awaitRouted(commands, times);
            }
            if (times == 1) {
                // As an operator does who goes back to the beginning.
                kafka.admin().deleteConsumerGroups(List.of(commands.topics().sourceGroup("orders"))).all().get();
            }
        }
        CommandRun audit = commands.run("audit", "--sources");
        assertThat(audit.outLines()).anyMatch(line -> line.matches("orders +2 +1 *"));
        assertThat(audit.failedWith(1)).contains("The records of source orders are not one item each.");
        assertThat(commands.run("audit", "--sources", "--output", "json").json().get("balanced").booleanValue())
                .isFalse();
    }

    @Test
    void an_audit_of_a_source_that_cannot_be_read_is_not_correct() {
        CommandsUnderTest commands = commands("earliest");
        commands.run("topics", "create").done();
        assertThat(commands.run("audit", "--sources").failedWith(1))
                .contains("The records of source orders cannot be read: ");
        JsonNode audited = commands.run("audit", "--sources", "--output", "json").json();
        assertThat(audited.at("/sources/0/correct").asText()).isEqualTo("false");
        assertThat(audited.get("balanced").booleanValue()).isFalse();
    }

    @Test
    void a_compacted_topic_is_refused_with_the_reason() throws Exception {
        CommandsUnderTest commands = commands("earliest");
        create(Map.of("cleanup.policy", "compact"));
        assertThat(list(commands).get("problem").asText())
                .startsWith("topic " + topic + " is compacted: records that are not read yet can be removed.");
    }

    private CommandsUnderTest commands(String start) {
        topic = kafka.prefix() + "-orders";
        return new CommandsUnderTest(kafka.bootstrapServers(), kafka.prefix(), CommandsUnderTest.written(directory,
                CommandsUnderTest.SMALL + """
                router:
                  sources:
                    orders: {topic: "%s", format: json, tenant: "value:/customer", start: %s}
                """.formatted(topic, start)));
    }

    private void create(Map<String, String> configs) throws Exception {
        kafka.admin().createTopics(List.of(new NewTopic(topic, 2, (short) 1).configs(configs))).all().get();
    }

    private void send(String value) throws Exception {
        try (Producer<byte[], byte[]> producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", kafka.bootstrapServers()), new ByteArraySerializer(),
                new ByteArraySerializer())) {
            ProducerRecord<byte[], byte[]> record = new ProducerRecord<>(
                    topic, Integer.toString(origins.size()).getBytes(StandardCharsets.UTF_8),
                    value.getBytes(StandardCharsets.UTF_8));
            record.headers().add("trace", "t-1".getBytes(StandardCharsets.UTF_8));
            RecordMetadata at = producer.send(record).get();
            origins.add(at.topic() + "-" + at.partition() + "-" + at.offset());
        }
    }

    private static JsonNode list(CommandsUnderTest commands) {
        return commands.run("sources", "list", "--output", "json").json().get("sources").get(0);
    }

    /** Waits until so many items are in the lanes. */
    private void awaitRouted(CommandsUnderTest commands, int items) {
        Topics topics = commands.topics();
        while (List.of(Lane.values()).stream().mapToInt(lane ->
                KafkaUnderTest.readAll(kafka.bootstrapServers(), topics.lane(lane)).size()).sum() < items) {
            LockSupport.parkNanos(50_000_000);
        }
    }

    private Shutdown started(CommandsUnderTest commands) {
        Shutdown shutdown = new Shutdown();
        RunningSystem.start(commands.configuration(),
                new StartOptions(directory.resolve("router"), Set.of(Role.ROUTER), false, ""), shutdown);
        return shutdown;
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
