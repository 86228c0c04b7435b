package io.spillway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.spillway.core.item.Lane;
import io.spillway.deadletter.DeadLetterFixture;
import io.spillway.guarantee.KafkaUnderTest;
import io.spillway.guarantee.SpillwayProcess;
import io.spillway.kafka.codec.ItemHeaders;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

@Timeout(900) // Against a hang; nothing is measured.
class DeadLettersCommandIT {
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
    void dead_letters_are_listed_newest_last_and_counted_to_the_end() throws Exception {
        assertThat(commands.run("dead-letters", "list").done().out()).isEqualTo("There are no dead letters.\n");
        fixture.bury(6, i -> i < 4 ? "acme" : "globex");

        List<String> all = commands.run("dead-letters", "list").done().outLines();
        assertThat(all).hasSize(1 + 6 + 1 + 3);
        assertThat(all.get(1))
                .as("escaped")
                .contains("acme", "id-0", "attempts-used-up", "worker", " 5 ", "0-0", "no \\u001b[31m luck");
        assertThat(all.get(6)).contains("globex", "id-5", "1-2");
        assertThat(all.get(9)).matches("acme +attempts-used-up +4");

        assertThat(commands.run("dead-letters", "list", "--limit", "2").done().out())
                .contains("id-4", "id-5", "4 older dead letters not shown").doesNotContain("id-3");
        assertThat(commands.run("dead-letters", "list", "--tenant", "acme", "--since", "1790000002000").done().out())
                .contains("id-2", "id-3").doesNotContain("id-1", "id-4");
        List<String> json = commands.run("dead-letters", "list", "--id", "id-3", "--output", "json").done().outLines();
        assertThat(json).hasSize(2);
        assertThat(new JsonMapper().readTree(json.get(0)).get("position").textValue()).isEqualTo("1-1");
        assertThat(new JsonMapper().readTree(json.get(1)).at("/summary/matching").intValue()).isEqualTo(1);
    }

    @Test
    void one_is_shown_with_its_headers_and_payload_until_it_is_discarded() throws Exception {
        fixture.bury(3, i -> "acme");

        assertThat(commands.run("dead-letters", "show", "--id", "id-2").done().out())
                .contains("payload 2", "traceparent: trace-2", "spillway-dead-detail: no \\u001b[31m luck");
        JsonNode shown = commands.run("dead-letters", "show", "--at", "0-1", "--output", "json").done().json();
        assertThat(shown.get("id").textValue()).isEqualTo("id-2");
        assertThat(shown.get("payload").textValue()).isEqualTo("payload 2");
        assertThat(commands.run("dead-letters", "show", "--at", "0-9").failedWith(1))
                .contains("There is no dead letter at 0-9");

        CommandRun asked = commands.run("dead-letters", "discard", "--id", "id-2");
        assertThat(asked.failedWith(2)).contains("Nothing is discarded yet", "--yes", "1 dead letter permanently");
        assertThat(asked.out()).contains("acme");
        assertThat(commands.run("dead-letters", "discard", "--id", "id-2", "--yes")
                        .done()
                        .out())
                .isEqualTo("Discarded 1 dead letter.\n");
        kafka.readAll(commands.topics().lane(Lane.DEAD_LETTER));
        assertThat(commands.run("dead-letters", "show", "--id", "id-2").failedWith(1))
                .contains("There is no dead letter with id id-2");
        assertThat(commands.run("dead-letters", "list").done().out()).contains("id-0", "id-1").doesNotContain("id-2");
    }

    @Test
    void a_dry_run_tells_what_would_be_dropped_and_does_nothing() throws Exception {
        fixture.bury(6, i -> i < 4 ? "acme" : "globex");
        commands.run("tenants", "set", "acme", "--sweepable", "true").done();
        commands.run("tenants", "set", "globex", "--ttl", "10s").done();
        commands.run("sweep", "record", "--tenant", "acme", "--started-at", "1785000061000").done();

        JsonNode plan = commands.run("dead-letters", "replay", "--dry-run", "--rate", "0.1", "--output", "json")
                .done()
                .json();

        assertThat(plan.get("wouldReplay").intValue()).isEqualTo(6);
        assertThat(plan.get("droppedBySweep").intValue()).isEqualTo(4);
        assertThat(commands.run("dead-letters", "replay", "--dry-run").done().out())
                .contains("Would replay 6 dead letters, the last due at", "Dropped when due: 4 by a sweep.");
        assertThat(commands.run("dead-letters", "replay", "--rate", "0.000001").failedWith(1))
                .contains("30 days", "--rate");
        assertThat(kafka.readAll(commands.topics().lane(Lane.DELAY))).isEmpty();
    }

    @Test
    void a_replayed_item_is_routed_to_a_lane_by_the_router() throws Exception {
        try (SpillwayProcess router =
                SpillwayProcess.start(directory.resolve("router"), Map.of(), commands.routerOptions())) {
            fixture.bury(4, i -> "acme");
            assertThat(commands.run("dead-letters", "replay", "--yes", "--rate", "2")
                            .done()
                            .out())
                    .startsWith("Replayed 4 dead letters, the last due at ");
            assertThat(commands.run("dead-letters", "replay", "--yes", "--output", "json")
                            .done()
                            .json()
                            .get("replayed")
                            .intValue())
                    .isZero();

            List<ConsumerRecord<byte[], byte[]>> hot = kafka.readAll(commands.topics().lane(Lane.HOT));
            while (hot.size() < 4) {
                hot = kafka.readAll(commands.topics().lane(Lane.HOT));
            }
            assertThat(hot).hasSize(4).allSatisfy(record -> {
                assertThat(header(record, ItemHeaders.LANE_REASON)).isEqualTo("due");
                assertThat(record.headers().lastHeader(ItemHeaders.REPLAYED_AT)).isNotNull();
                assertThat(record.headers().lastHeader(ItemHeaders.DEAD_REASON)).isNull();
                assertThat(record.headers().lastHeader(ItemHeaders.ATTEMPT)).isNull();
            });
            assertThat(router.stop()).isZero();
        }
        assertThat(kafka.readAll(commands.topics().lane(Lane.DEAD_LETTER))).isEmpty();
    }

    private static String header(ConsumerRecord<byte[], byte[]> record, String name) {
        return new String(record.headers().lastHeader(name).value(), java.nio.charset.StandardCharsets.UTF_8);
    }
}
