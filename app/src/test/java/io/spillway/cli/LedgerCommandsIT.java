package io.spillway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.spillway.core.item.ItemState;
import io.spillway.core.item.Lane;
import io.spillway.core.ledger.Depth;
import io.spillway.core.ledger.FlowRates;
import io.spillway.core.ledger.TenantBalance;
import io.spillway.core.ratelimit.GrowingLimit;
import io.spillway.guarantee.KafkaUnderTest;
import io.spillway.guarantee.SpillwayProcess;
import io.spillway.kafka.topics.KafkaClients;
import io.spillway.kafka.view.Depths;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

@Timeout(900) // Against a hang; nothing is measured.
class LedgerCommandsIT {
    @RegisterExtension
    final KafkaUnderTest kafka = new KafkaUnderTest();

    @TempDir
    Path directory;

    @Test
    void depths_are_shown_balances_are_audited_and_an_item_is_found() throws Exception {
        CommandsUnderTest commands = CommandsUnderTest.on(kafka, directory);
        commands.run("topics", "create").done();
        commands.run("send", "--tenant", "acme", "--count", "20").done();
        commands.run("send", "--tenant", "globex", "--count", "5").done();
        commands.run("send", "--tenant", "later", "--count", "2", "--deliver-at", "2h").done();
        try (SpillwayProcess router = SpillwayProcess.start(
                directory.resolve("router"), Map.of(), commands.routerOptions())) {
            commands.awaitRouted(kafka.admin());
            // Each tenant's balance is in a task of its own.
            while (accepted(commands) < 27) {
                LockSupport.parkNanos(2_000_000);
            }
            assertThat(router.stop()).isZero();
        }

        JsonNode depth = commands.run("depth", "--output", "json").done().json();
        assertThat(depth.at("/lanes/hot/waiting").intValue()).isEqualTo(25);
        assertThat(depth.at("/lanes/hot/oldestAgeSeconds").doubleValue()).isNotNegative();
        assertThat(depth.at("/tenants/0/tenant").textValue()).isEqualTo("acme");
        assertThat(depth.at("/tenants/0/drainSeconds").isNull()).as("never").isTrue();
        JsonNode later = depth.at("/tenants/2");
        assertThat(later.properties()).extracting(Map.Entry::getKey).containsExactlyInAnyOrder(
                "tenant", "waiting", "hot", "overflow", "aged", "delay", "accepted", "done", "dropped", "deadLettered",
                "inPerSecond", "outPerSecond", "oldestAgeSeconds", "drainSeconds", "scheduled", "lastDueAt");
        assertThat(later.get("tenant").textValue()).isEqualTo("later");
        assertThat(later.get("delay").intValue()).isEqualTo(2);
        assertThat(later.get("oldestAgeSeconds").isNull()).as("what is not due is not late").isTrue();
        assertThat(later.get("drainSeconds").doubleValue()).isZero();
        assertThat(later.get("scheduled").intValue()).isEqualTo(2);
        assertThat(Instant.parse(later.get("lastDueAt").textValue())).isAfter(Instant.now());
        assertThat(depth.at("/lanes/delay/oldestAgeSeconds").isNull()).isTrue();
        assertThat(commands.run("depth").done().out())
                .contains("acme", "globex", "never", "hot", "later: 2 items scheduled for later, the last for 2")
                .doesNotContain("more tenant");
        assertThat(commands.run("depth", "--limit", "1", "--no-ages").done().out())
                .contains("2 more tenants not shown").doesNotContain("scheduled");
        assertThat(commands.run("depth", "--tenant", "nobody").done().out()).contains("nobody has never had an item");

        JsonNode audit = commands.run("audit", "--output", "json").done().json();
        assertThat(audit.get("balanced").booleanValue()).isTrue();
        assertThat(audit.get("accepted").intValue()).isEqualTo(27);
        assertThat(audit.get("moving").intValue()).isZero();
        assertThat(commands.run("audit").done().out()).contains("The balances of 3 tenants are correct.");

        String origin = commands.topics().ingress() + "-0-0";
        JsonNode path = commands.run("explain", "--id", origin, "--output", "json").done().json();
        assertThat(path.at("/steps").findValuesAsText("place")).endsWith("hot");
        assertThat(commands.run("explain", "--id", origin).done().out())
                .contains("entered at " + origin, "hot", "waits");
        assertThat(commands.run("explain", "--id", origin, "--since", "1h", "--output", "json")
                        .done()
                        .json())
                .isEqualTo(path);
        assertThat(commands.run("explain", "--id", "no-such-id").failedWith(1)).contains("No record of no-such-id");

        putWithoutLedgerEntry(commands);
        assertThat(commands.run("audit").failedWith(1)).contains("The balance of 1 of 4 tenants is not correct");
        JsonNode off = commands.run("audit", "--output", "json").json();
        assertThat(off.get("balanced").booleanValue()).isFalse();
        assertThat(off.at("/off/0/tenant").textValue()).isEqualTo("intruder");
        assertThat(off.at("/off/0/place").textValue()).isEqualTo("overflow");
        assertThat(off.at("/off/0/most").intValue()).isZero();
        assertThat(off.at("/off/0/counted").intValue()).isEqualTo(1);
    }

    @Test
    void forgotten_tenants_are_in_the_sums_of_an_audit() throws Exception {
        CommandsUnderTest commands = CommandsUnderTest.on(kafka, directory);
        commands.run("topics", "create").done();
        TenantBalance finished = TenantBalance.EMPTY;
        for (ItemState to : List.of(ItemState.DONE, ItemState.DROPPED)) {
            long[] counts = new long[ItemState.COUNT];
            counts[to.ordinal()] = 7;
            finished = finished.plus(ItemState.OUTSIDE, counts);
        }
        String mark = Depths.foldedKey(1);
        try (KafkaProducer<byte[], byte[]> producer =
                new KafkaClients(commands.configuration().queue()).producer()) {
            producer.send(new ProducerRecord<>(
                    commands.topics().depths(), mark.getBytes(StandardCharsets.UTF_8), Depths.encode(mark,
                            new Depth(finished, FlowRates.startingAt(1), GrowingLimit.NONE, 0)))).get();
        }
        JsonNode audit = commands.run("audit", "--output", "json").done().json();
        assertThat(audit.get("accepted").intValue()).isEqualTo(14);
        assertThat(audit.get("done").intValue()).isEqualTo(7);
        assertThat(audit.get("tenants").intValue()).isZero();
        assertThat(commands.run("audit").done().out()).contains("The balances of 0 tenants are correct.");
    }

    @Test
    void an_item_is_searched_from_the_time_when_it_was_sent() throws Exception {
        CommandsUnderTest commands = CommandsUnderTest.on(kafka, directory);
        commands.run("topics", "create").done();
        put(commands, "old", "acme", 1_000_000);
        put(commands, "new", "acme", 2_000_000);
        put(commands, "late", "acme", 1_500_000);

        assertThat(commands.run("explain", "--id", "old").done().out())
                .contains("item old of acme", "overflow", "waits");
        assertThat(commands.run("explain", "--id", "old", "--since", "1970-01-01T00:16:40Z")
                        .done()
                        .out())
                .contains("item old of acme");
        assertThat(commands.run("explain", "--id", "new", "--since", "1970-01-01T00:16:40.001Z")
                        .done()
                        .out())
                .contains("item new of acme");
        assertThat(commands.run("explain", "--id", "late", "--since", "1970-01-01T00:16:40.001Z")
                        .done()
                        .out())
                .contains("item late of acme");
        assertThat(commands.run("explain", "--id", "old", "--since", "1970-01-01T00:16:40.001Z").failedWith(1))
                .contains("No record of old since 1970-01-01T00:16:40.001Z: it was never received, or it has finished"
                        + " and been purged.");
        assertThat(commands.run("explain", "--id", "new", "--since", "1970-01-01T00:33:20.001Z").failedWith(1))
                .contains("No record of new");
    }

    private static int accepted(CommandsUnderTest commands) {
        return commands.run("depth", "--output", "json").done().json().get("tenants")
                .findValues("accepted").stream().mapToInt(JsonNode::intValue).sum();
    }

    private static void putWithoutLedgerEntry(CommandsUnderTest commands) throws Exception {
        put(commands, "alien", "intruder", System.currentTimeMillis());
    }

    private static void put(CommandsUnderTest commands, String id, String tenant, long timestampMillis)
            throws Exception {
        try (KafkaProducer<byte[], byte[]> producer =
                new KafkaClients(commands.configuration().queue()).producer()) {
            ProducerRecord<byte[], byte[]> record = new ProducerRecord<>(
                    commands.topics().lane(Lane.OVERFLOW), 0, timestampMillis, new byte[1], new byte[1]);
            record.headers().add("spillway-tenant", tenant.getBytes(StandardCharsets.UTF_8));
            record.headers().add("spillway-id", id.getBytes(StandardCharsets.UTF_8));
            producer.send(record).get();
        }
    }
}
