package io.spillway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.spillway.core.item.Lane;
import io.spillway.deadletter.DeadLetterFixture;
import io.spillway.guarantee.KafkaUnderTest;
import io.spillway.kafka.codec.ItemHeaders;
import io.spillway.kafka.topics.KafkaClients;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** One dialect of JSON, one name for no tenant, and a question before everything is replayed. */
@Timeout(900) // Against a hang; nothing is measured.
class JsonDialectIT {
    private static final String ISO = "\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?Z";

    @RegisterExtension
    final KafkaUnderTest kafka = new KafkaUnderTest();

    @TempDir
    Path directory;

    private CommandsUnderTest commands;
    private DeadLetterFixture fixture;

    @BeforeEach
    void configure() {
        commands = CommandsUnderTest.on(kafka, directory);
        fixture = new DeadLetterFixture(kafka);
    }

    @Test
    void times_are_iso_8601_and_numbers_are_numbers() throws Exception {
        fixture.bury(1, i -> "acme");
        List<String> listed = commands.run("dead-letters", "list", "--output", "json").done().outLines();
        assertThat(new JsonMapper().readTree(listed.getFirst()).get("deadAt").textValue()).matches(ISO);
        JsonNode shown = json("dead-letters", "show", "--id", "id-0");
        assertThat(List.of("deadAt", "timestamp", "enqueuedAt"))
                .allSatisfy(key -> assertThat(shown.get(key).textValue()).as(key).matches(ISO));
        assertThat(shown.get("workload").isNull()).as("none").isTrue();
        assertThat(json("dead-letters", "replay", "--dry-run").get("lastDueAt").textValue()).matches(ISO);
        JsonNode found = json("explain", "--id", "id-0").at("/steps/0");
        assertThat(found.get("deadAt").textValue()).matches(ISO);
        assertThat(found.get("attempts").intValue()).isEqualTo(5);
        assertThat(found.get("reason").textValue()).isEqualTo("attempts-used-up");
        assertThat(found.get("dueAt").isNull()).as("no due time").isTrue();

        commands.run("tenants", "set", "acme", "--rate", "10", "--ttl", "5m").done();
        JsonNode policy = json("tenants", "get", "acme");
        assertThat(policy.at("/policy/ratePerSecond").doubleValue()).isEqualTo(10);
        assertThat(policy.at("/policy/ttlMillis").longValue()).isEqualTo(300_000);
        assertThat(policy.at("/policy/concurrency").isNull()).isTrue();
        assertThat(policy.at("/policy/sweepable").isBoolean()).isTrue();
        assertThat(policy.get("set")).hasSize(2);
        assertThat(json("tenants", "list").at("/acme/ttlMillis").longValue()).isEqualTo(300_000);
        assertThat(json("explain", "--tenant", "acme").at("/policy/backoffCapMillis").longValue()).isEqualTo(300_000);
        assertThat(commands.run("explain", "--tenant", "acme").done().out())
                .contains("No other tenant has a policy or an assigned shard to compare with.",
                        "metric spillway_delay_parked of each router");
    }

    @Test
    void a_sweep_is_recorded_by_its_age_and_listed() {
        assertThat(commands.run("sweep", "list").done().out()).isEqualTo("No sweep is recorded.\n");
        long beforeMillis = System.currentTimeMillis();
        JsonNode recorded = json("sweep", "record", "--tenant", "acme", "--started-at", "2h", "--completed-at", "1h");
        long afterMillis = System.currentTimeMillis();

        assertThat(Instant.parse(recorded.get("startedAt").textValue()).toEpochMilli())
                .isBetween(beforeMillis - 7_200_000, afterMillis - 7_200_000);
        JsonNode listed = json("sweep", "list");
        assertThat(listed).hasSize(1);
        assertThat(listed.at("/0/tenant").textValue()).isEqualTo("acme");
        assertThat(listed.at("/0/kind").textValue()).isEqualTo("sweep");
        assertThat(listed.at("/0/workload").textValue()).isEmpty();
        assertThat(listed.at("/0/sweepId")).isEqualTo(recorded.get("sweepId"));
        assertThat(listed.at("/0/startedAt")).isEqualTo(recorded.get("startedAt"));
        assertThat(listed.at("/0/completedAt")).isEqualTo(recorded.get("completedAt"));
        assertThat(commands.run("sweep", "list").done().out())
                .contains("started at", "acme", recorded.get("startedAt").textValue());
    }

    @Test
    void a_record_without_a_readable_tenant_has_one_name_everywhere_and_is_found_by_its_id() throws Exception {
        fixture.bury(2, i -> "acme");
        buryUnreadable("order-7");

        String list = commands.run("dead-letters", "list", "--tenant", "(none)").done().out();
        assertThat(list).contains("order-7", "bad-tenant").doesNotContain("id-0");
        assertThat(list.lines().filter(line -> line.contains("(none)"))).as("the row and its count").hasSize(2);
        assertThat(commands.run("explain", "--id", "order-7").done().out())
                .contains("item order-7 of (none), entered at " + commands.topics().ingress() + "-1-99", "dead");
        assertThat(json("dead-letters", "show", "--id", "order-7").get("tenant").textValue()).isEqualTo("(none)");
        assertThat(json("dead-letters", "replay", "--tenant", "(none)", "--dry-run").get("wouldReplay").intValue())
                .isEqualTo(1);
        assertThat(commands.run("depth", "--tenant", "(none)").done().out()).contains("(none) has never had an item");
        assertThat(commands.run("explain", "--tenant", "(none)").done().out())
                .contains("(none): records whose tenant cannot be read",
                        "spillway dead-letters list --tenant '(none)'");
        assertThat(commands.run("dead-letters", "discard", "--tenant", "(none)", "--yes").done().out())
                .isEqualTo("Discarded 1 dead letter.\n");
    }

    @Test
    void a_replay_of_everything_asks_first() throws Exception {
        fixture.bury(3, i -> "acme");

        CommandRun asked = commands.run("dead-letters", "replay");
        assertThat(asked.exitCode()).isEqualTo(2);
        assertThat(asked.err()).contains("spillway: Nothing is replayed yet", "--yes", "3 dead letters", "--tenant");
        assertThat(asked.out()).contains("acme", "Would replay 3 dead letters");
        assertThat(commands.run("dead-letters", "replay", "--limit", "1").err()).contains("1 dead letter,");
        assertThat(kafka.readAll(commands.topics().lane(Lane.DELAY))).as("nothing has moved").isEmpty();

        assertThat(commands.run("dead-letters", "replay", "--tenant", "acme", "--limit", "1").done().out())
                .startsWith("Replayed 1 dead letter,");
        assertThat(commands.run("dead-letters", "replay", "--yes").done().out()).startsWith("Replayed 2 dead letters,");
        assertThat(kafka.readAll(commands.topics().lane(Lane.DELAY))).hasSize(3);
    }

    private JsonNode json(String... command) {
        String[] all = java.util.Arrays.copyOf(command, command.length + 2);
        all[command.length] = "--output";
        all[command.length + 1] = "json";
        return commands.run(all).done().json();
    }

    /** Writes what the router writes for a record with a bad tenant and a good id. */
    private void buryUnreadable(String id) throws Exception {
        try (KafkaProducer<byte[], byte[]> producer =
                new KafkaClients(commands.configuration().queue()).producer()) {
            ProducerRecord<byte[], byte[]> record = new ProducerRecord<>(
                    commands.topics().lane(Lane.DEAD_LETTER), 1, 1_785_000_000_000L, null, bytes("x"));
            record.headers()
                    .add(ItemHeaders.TENANT, bytes("a b"))
                    .add(ItemHeaders.ID, bytes(id))
                    .add(ItemHeaders.DEAD_REASON, bytes("bad-tenant"))
                    .add(ItemHeaders.DEAD_STAGE, bytes("router"))
                    .add(ItemHeaders.DEAD_AT, bytes("1790000000000"))
                    .add(ItemHeaders.ORIGIN_TOPIC, bytes(commands.topics().ingress()))
                    .add(ItemHeaders.ORIGIN_PARTITION, bytes("1"))
                    .add(ItemHeaders.ORIGIN_OFFSET, bytes("99"));
            producer.send(record).get();
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
