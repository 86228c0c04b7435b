package io.spillway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.spillway.core.item.Lane;
import io.spillway.guarantee.KafkaUnderTest;
import io.spillway.guarantee.SpillwayProcess;
import io.spillway.handler.Delivery;
import io.spillway.handler.Handler;
import io.spillway.handler.Outcome;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

@Timeout(900) // Against a hang; nothing is measured.
class TenantsIsolateIT {
    @RegisterExtension
    final KafkaUnderTest kafka = new KafkaUnderTest();

    @TempDir
    Path directory;

    private CommandsUnderTest commands;
    private int read;

    @BeforeEach
    void configure() {
        commands = new CommandsUnderTest(kafka.bootstrapServers(), kafka.prefix(), CommandsUnderTest.written(
                directory, CommandsUnderTest.SMALL.replace("partitions: 2", "partitions: 8")
                        + "defaults: {shardSize: 3}\nshards: {overlap: 2, largest: 3, slots: 16}\n"));
    }

    @Test
    void a_tenant_that_takes_too_much_is_named_by_explain_and_keeps_its_shard_unless_the_rule_is_to_enforce()
            throws Exception {
        commands.run("topics", "create").done();
        Map<String, String> environment = Map.of(
                "SPILLWAY_HANDLER_TYPE", "class", "SPILLWAY_HANDLER_CLASS", SlowHandler.class.getName(),
                "SPILLWAY_ROUTER_ISOLATION_AFTER", "10s");
        try (SpillwayProcess started = SpillwayProcess.start(
                directory.resolve("all"), environment, commands.options())) {
            commands.run("send", "--tenant", "globex").done();
            commands.run("send", "--tenant", "acme", "--count", "2000").done();
            JsonNode explained;
            do {
                LockSupport.parkNanos(500_000_000);
                explained = commands.run("explain", "--tenant", "acme", "--output", "json").done().json();
            } while (explained.get("isolationRule").isEmpty());
            assertThat(explained.get("placement").textValue()).isEqualTo("assigned");
            assertThat(explained.get("isolationRule").get("action").textValue()).isEqualTo("isolate");
            assertThat(commands.run("explain", "--tenant", "acme").done().out()).containsPattern(
                    "Z isolation rule: 1?[0-9]{2} % of what waits is its, and takes the workers long: isolate. Only observed");
            assertThat(commands.run("actions", "list").done().out()).contains("isolation rule");
            assertThat(started.isAlive()).isTrue();
        }
    }

    /** Takes a second for each item. */
    public static final class SlowHandler implements Handler {
        @Override
        public Outcome handle(Delivery delivery) {
            LockSupport.parkNanos(1_000_000_000);
            return Outcome.done();
        }
    }

    @Test
    void a_tenant_under_attack_is_moved_to_partitions_of_its_own_and_back_without_a_restart() throws Exception {
        commands.run("topics", "create").done();
        try (SpillwayProcess router =
                SpillwayProcess.start(directory.resolve("router"), Map.of(), commands.options())) {
            assertThat(placesOf("acme")).isNotEmpty();
            JsonNode assigned = commands.run("explain", "--tenant", "acme", "--output", "json").done().json();
            assertThat(assigned.get("placement").textValue()).isEqualTo("assigned");
            assertThat(numbers(assigned.get("partitions"))).hasSize(3);

            JsonNode isolated = commands.run(
                            "tenants", "isolate", "acme", "--partitions", "2", "--wait", "--output", "json")
                    .done()
                    .json();
            Set<Integer> own = numbers(isolated.get("partitions"));
            assertThat(own).hasSize(2);
            assertThat(placesOf("acme")).isSubsetOf(own);
            for (String other : Set.of("b", "c", "d", "e")) {
                assertThat(placesOf(other)).as("no other tenant is there").doesNotContainAnyElementsOf(own);
            }
            assertThat(commands.run("explain", "--tenant", "acme").done().out())
                    .contains("acme: has dedicated partitions", "partitions " + own, "any other: hot")
                    .containsPattern("dedicated +2 +set for acme");
            assertThat(commands.run("tenants", "isolate", "other", "--partitions", "3")
                            .failedWith(1))
                    .contains(
                            "Nothing is changed", "must be from 1 to 2", "because 4 of 8 partitions must stay shared");

            commands.run("tenants", "release", "acme", "--wait").done();
            assertThat(placesOf("acme")).isSubsetOf(numbers(assigned.get("partitions")));
            assertThat(commands.run("tenants", "get", "acme").done().out()).doesNotContain("set for acme");
            assertThat(commands.run("tenants", "release", "acme").failedWith(1))
                    .contains("acme has no dedicated partitions");

            assertThat(commands.run("tenants", "release", "acme", "--shard")
                            .done()
                            .out())
                    .contains("acme: its shard is released.");
            while (!commands.run("explain", "--tenant", "acme", "--output", "json").done().json()
                    .get("placement").textValue().equals("stateless")) {
                LockSupport.parkNanos(2_000_000);
            }
            assertThat(router.stop()).isZero();
        }
        assertThat(commands.run("explain", "--tenant", "b", "--output", "json").done().json().get("known").intValue())
                .as("c, d and e have assignments").isEqualTo(3);
    }

    /** The partitions of hot that ten items of a tenant have gone to. */
    private Set<Integer> placesOf(String tenant) {
        commands.run("send", "--tenant", tenant, "--count", "10").done();
        commands.awaitRouted(kafka.admin());
        Set<Integer> places = new TreeSet<>();
        for (ConsumerRecord<byte[], byte[]> record : kafka.readAll(commands.topics().lane(Lane.HOT)).stream()
                .sorted(Comparator.comparingLong(ConsumerRecord::timestamp)).skip(read).toList()) {
            assertThat(new String(record.key(), StandardCharsets.UTF_8)).isEqualTo(tenant);
            places.add(record.partition());
            read++;
        }
        return places;
    }

    private static Set<Integer> numbers(JsonNode array) {
        return array.valueStream().map(JsonNode::intValue).collect(Collectors.toCollection(TreeSet::new));
    }
}
