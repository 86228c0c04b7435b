package io.spillway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.spillway.guarantee.KafkaUnderTest;
import io.spillway.guarantee.SpillwayProcess;
import io.spillway.kafka.topics.QueueAdmin;
import io.spillway.kafka.topics.QueueProgress;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * What is left after Kafka has committed a transaction of a router in part, as in seeds 32 and 58 of the campaigns: its
 * offsets without its moves, and its moves without its offsets. The offsets are set here, between two routers.
 */
@Timeout(600) // Only against a hang.
class IngressAuditIT {
    @RegisterExtension
    final KafkaUnderTest kafka = new KafkaUnderTest();

    @TempDir
    Path directory;

    @Test
    void items_that_were_passed_without_being_moved_or_moved_twice_are_named() throws Exception {
        CommandsUnderTest commands = CommandsUnderTest.on(kafka, directory);
        commands.run("topics", "create").done();
        route(commands, "first");
        route(commands, "second");
        assertThat(commands.run("audit").done().out()).contains("The balance of 1 tenant is correct.");
        assertThat(commands.run("audit", "--output", "json").done().json().get("ingress")).isEmpty();

        send(commands, "lost");
        setOffsets(commands, QueueProgress::end);
        assertThat(commands.run("audit").failedWith(1)).contains("Offsets of ingress are missing or repeated");
        assertNamed(commands, "missing", "lost");

        route(commands, "after");
        assertThat(commands.run("audit", "--output", "json").json().get("accepted").intValue())
                .as("balances do not show it").isEqualTo(3 * 4);
        assertNamed(commands, "missing", "lost");

        route(commands, "twice");
        Map<TopicPartition, Long> starts = read(commands, QueueProgress::start);
        assertThat(starts.values()).containsOnly(0L);
        commands.run("topics", "check").done();
        setOffsets(commands, part -> Math.max(0, part.from() - 1));
        route(commands, "last");
        JsonNode audit = commands.run("audit", "--output", "json").json();
        assertThat(audit.get("balanced").booleanValue()).isFalse();
        assertThat(audit.get("offTenants").intValue()).as("balances do not show it").isZero();
        assertThat(audit.get("ingress").findValuesAsText("finding")).contains("missing", "repeated");
        assertThat(commands.run("audit").out()).contains("may be lost", "may have been moved twice", "lost-0");

        commands.run("audit", "--accept-ingress").done();
        assertThat(commands.run("audit", "--output", "json").done().json().get("ingress")).isEmpty();
        route(commands, "later");
        commands.run("audit").done();
    }

    private void route(CommandsUnderTest commands, String id) throws Exception {
        send(commands, id);
        try (SpillwayProcess router = SpillwayProcess.start(
                directory.resolve("router"), Map.of(), commands.routerOptions())) {
            commands.awaitRouted(kafka.admin());
            assertThat(router.stop()).isZero();
        }
    }

    private static void send(CommandsUnderTest commands, String id) {
        commands.run("send", "--tenant", "acme", "--count", "4", "--id", id).done();
    }

    private void assertNamed(CommandsUnderTest commands, String finding, String id) {
        JsonNode ingress = commands.run("audit", "--output", "json").json().get("ingress");
        assertThat(ingress.findValuesAsText("finding")).containsOnly(finding);
        assertThat(ingress.findValuesAsText("id")).hasSize(4).allMatch(each -> each.startsWith(id));
        assertThat(ingress.findValuesAsText("tenant")).containsOnly("acme");
    }

    private Map<TopicPartition, Long> read(CommandsUnderTest commands, ToLongFunction<QueueProgress> value) {
        return new QueueAdmin(kafka.admin()).read(commands.topics().ingress(), commands.topics().routerGroup())
                .stream().collect(Collectors.toMap(QueueProgress::partition, value::applyAsLong));
    }

    private void setOffsets(CommandsUnderTest commands, ToLongFunction<QueueProgress> offset) throws Exception {
        kafka.admin().alterConsumerGroupOffsets(commands.topics().routerGroup(), read(commands, offset).entrySet()
                .stream().collect(Collectors.toMap(Map.Entry::getKey,
                        entry -> new OffsetAndMetadata(entry.getValue())))).all().get();
    }
}
