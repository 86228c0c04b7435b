package io.spillway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.spillway.core.item.Lane;
import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.PolicySettings;
import io.spillway.guarantee.KafkaUnderTest;
import io.spillway.guarantee.SpillwayProcess;
import io.spillway.kafka.topics.KafkaClients;
import io.spillway.kafka.view.TenantPolicies;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

@Timeout(900) // Against a hang; nothing is measured.
class TenantsCommandIT {
    @RegisterExtension
    final KafkaUnderTest kafka = new KafkaUnderTest();

    @TempDir
    Path directory;

    private CommandsUnderTest commands;

    @BeforeEach
    void configure() {
        commands = CommandsUnderTest.on(kafka, directory);
    }

    @Test
    void settings_are_set_shown_taken_back_and_removed() throws Exception {
        commands.run("topics", "create").done();
        assertThat(commands.run("tenants", "list").done().out()).isEqualTo("No tenant has its own settings.\n");

        assertThat(commands.run("tenants", "set", "acme", "--rate", "100", "--burst", "200").done().out())
                .isEqualTo("acme: rate=100 burst=200\n");
        assertThat(commands.run(
                                "tenants", "set", "acme", "--concurrency", "20", "--burst", "none", "--aged-after",
                                "90s")
                        .done()
                        .out())
                .as("what is not named stays")
                .isEqualTo("acme: rate=100 burst=none concurrency=20 agedAfter=90s\n");
        assertThat(commands.run("tenants", "set", "acme", "--concurrency", "default", "--output", "json")
                        .done()
                        .json()
                        .toString())
                .isEqualTo("{\"set\":{\"agedAfterMillis\":90000,\"burst\":null,\"ratePerSecond\":100.0},"
                        + "\"tenant\":\"acme\"}");
        commands.run("tenants", "set", "*", "--ttl", "1h", "--rate", "7").done();

        assertThat(commands.run("tenants", "get", "acme").done().outLines())
                .anyMatch(line -> line.matches("rate +100 +set for acme"))
                .anyMatch(line -> line.matches("ttl +1h +set for \\*"))
                .anyMatch(line -> line.matches("attempts +5 +default"))
                .hasSize(PolicyField.values().length);
        JsonNode another = commands.run("tenants", "get", "another", "--output", "json").done().json();
        assertThat(another.at("/policy/ratePerSecond").doubleValue()).isEqualTo(7);
        assertThat(another.at("/policy/burst").isNull()).as("none").isTrue();
        assertThat(another.get("set")).isEmpty();
        assertThat(commands.run("tenants", "list").done().outLines())
                .containsExactly("*     rate=7 ttl=1h", "acme  rate=100 burst=none agedAfter=90s");

        assertThat(commands.run("tenants", "remove", "*", "--output", "json").done().json().toString())
                .isEqualTo("{\"removed\":true,\"tenant\":\"*\"}");
        assertThat(commands.run("tenants", "remove", "acme").done().out()).isEqualTo("Removed the settings of acme.\n");
        assertThat(commands.run("tenants", "remove", "acme").failedWith(1))
                .contains("acme has no settings of its own", "tenants list");
        assertThat(commands.run("tenants", "list", "--output", "json").done().json()).isEmpty();
    }

    @Test
    void limits_of_a_workload_are_set_shown_and_taken_back() throws Exception {
        commands.run("topics", "create").done();
        assertThat(commands.run("tenants", "set", "acme", "--workload", "mail", "--weight", "2", "--concurrency", "5")
                .done().out()).isEqualTo("acme: workload mail: weight=2 concurrency=5\n");
        assertThat(commands.run("tenants", "get", "acme").done().outLines())
                .anyMatch(line -> line.matches("workload mail +weight=2 concurrency=5 +set for acme"));
        assertThat(commands.run("tenants", "get", "acme", "--output", "json").done().json()
                .at("/policy/workloads/mail/concurrency").intValue()).isEqualTo(5);
        assertThat(commands.run("tenants", "set", "acme", "--workload", "mail", "--rate", "5").failedWith(2))
                .contains("--rate: cannot be used with --workload");
        assertThat(commands.run("tenants", "set", "acme", "--workload", "a b", "--weight", "5").failedWith(2))
                .contains("--workload a b: must be 1 to 128");
        assertThat(commands.run("tenants", "set", "acme", "--workload", "mail", "--weight", "default",
                "--concurrency", "default").done().out()).doesNotContain("mail");
    }

    @Test
    void defaults_of_the_configuration_are_told_apart_from_those_of_the_product() throws Exception {
        commands.run("topics", "create").done();
        CommandsUnderTest configured = new CommandsUnderTest(
                kafka.bootstrapServers(),
                kafka.prefix(),
                CommandsUnderTest.written(
                        directory.resolve("configured"), CommandsUnderTest.SMALL + "defaults:\n  attempts: 9\n"));

        assertThat(configured.run("tenants", "get", "acme").done().outLines())
                .anyMatch(line -> line.matches("attempts +9 +configuration"))
                .anyMatch(line -> line.matches("timeout +30s +default"));
    }

    @Test
    void what_others_have_put_into_the_topic_is_shown_escaped_or_passed_over() throws Exception {
        commands.run("topics", "create").done();
        try (Producer<byte[], byte[]> producer = new KafkaClients(commands.configuration().queue()).producer()) {
            byte[] policy = TenantPolicies.encode("x", PolicySettings.NONE_SET.with(PolicyField.RATE, "5"));
            producer.send(new ProducerRecord<>(commands.topics().policies(), bytes("red\u001b[31m\nacme"), policy));
            producer.send(new ProducerRecord<>(commands.topics().policies(), bytes("broken"), bytes("no policy")));
        }

        assertThat(commands.run("tenants", "list").done().outLines())
                .containsExactly("red\\u001b[31m\\u000aacme  rate=5");
        assertThat(commands.run("tenants", "list", "--output", "json").done().outLines()).hasSize(1);
    }

    @Test
    void a_missing_topic_is_named_at_once_and_not_made_by_asking_for_it() throws Exception {
        assertThat(commands.run("tenants", "list").failedWith(1))
                .contains("Topic " + commands.topics().policies() + " is missing", "spillway topics create");
        assertThat(commands.run("tenants", "set", "acme", "--rate", "1").failedWith(1)).contains("is missing");
        assertThat(kafka.admin().listTopics().names().get()).noneMatch(name -> name.startsWith(kafka.prefix()));
    }

    @Test
    void after_a_wait_the_very_next_item_obeys_the_policy() throws Exception {
        commands.run("topics", "create").done();
        assertThat(commands.run("tenants", "set", "acme", "--rate", "1000", "--wait").done().err())
                .as("no instance runs").contains("no running instance has reported within 3 s");
        try (SpillwayProcess router =
                SpillwayProcess.start(directory.resolve("router"), Map.of(), commands.routerOptions())) {
            for (int round = 0; round < 3; round++) {
                // By default an item is aged at 5 minutes.
                assertThat(commands.run("tenants", "set", "acme", "--aged-after", "1m", "--wait").done().err())
                        .contains("Applied by 1 running instance.\n");
                commands.run("send", "--tenant", "acme", "--age", "2m").done();
                commands.awaitRouted(kafka.admin());
                commands.run("tenants", "remove", "acme", "--wait").done();
                commands.run("send", "--tenant", "acme", "--age", "2m").done();
                commands.awaitRouted(kafka.admin());
            }
            assertThat(router.stop()).isZero();
        }

        assertThat(kafka.readAll(commands.topics().lane(Lane.AGED))).hasSize(3);
        assertThat(kafka.readAll(commands.topics().lane(Lane.HOT))).hasSize(3);
    }

    @Test
    void items_of_a_paused_tenant_are_held_and_each_is_handled_once_when_it_is_resumed() throws Exception {
        commands.run("topics", "create").done();
        try (SpillwayProcess both = SpillwayProcess.start(
                directory.resolve("both"), Map.of(), rolesOptions(commands))) {
            JsonNode paused =
                    commands.run("tenants", "pause", "acme", "--wait", "--output", "json").done().json();
            assertThat(paused.get("paused").booleanValue()).isTrue();
            assertThat(commands.run("tenants", "list").done().out()).contains("acme", "paused=true");
            assertThat(commands.run("explain", "--tenant", "acme").done().out()).contains("the tenant is paused");

            commands.run("send", "--tenant", "acme", "--count", "200").done();
            commands.run("send", "--tenant", "bolt", "--count", "5").done();
            await(() -> tenant(commands, "bolt").path("done").intValue() == 5
                    && tenant(commands, "acme").path("delay").intValue() == 200);
            assertThat(tenant(commands, "acme").get("waiting").intValue()).isEqualTo(200);
            assertThat(tenant(commands, "acme").get("done").intValue()).isZero();

            assertThat(commands.run("tenants", "resume", "acme", "--wait").done().out())
                    .isEqualTo("acme is not paused.\n");
            await(() -> tenant(commands, "acme").get("done").intValue() >= 200);
            assertThat(commands.run("tenants", "list").done().out()).contains("No tenant has its own settings");
            assertThat(both.stop()).isZero();
        }
        assertThat(tenant(commands, "acme").get("done").intValue()).isEqualTo(200);
        assertThat(tenant(commands, "acme").get("waiting").intValue()).isZero();
        assertThat(commands.run("audit", "--output", "json").done().json().get("balanced").booleanValue()).isTrue();
    }

    @Test
    void a_pause_of_a_workload_and_of_all_tenants_can_be_taken_back() throws Exception {
        commands.run("topics", "create").done();
        assertThat(commands.run("tenants", "pause", "acme", "--workload", "mail").done().out()).isEqualTo(
                "acme workload mail is paused. To undo it: spillway tenants resume acme --workload mail\n");
        assertThat(commands.run("tenants", "get", "acme", "--output", "json").done().json()
                .at("/policy/workloads/mail/paused").booleanValue()).isTrue();
        assertThat(commands.run("explain", "--tenant", "acme").done().out())
                .contains("of the workload mail, which is paused: held in delay");
        commands.run("tenants", "resume", "acme", "--workload", "mail").done();
        assertThat(commands.run("tenants", "list", "--output", "json").done().json()).isEmpty();

        commands.run("tenants", "pause", "*").done();
        assertThat(commands.run("tenants", "resume", "acme", "--workload", "mail").done().out())
                .contains("acme workload mail is still paused");
        JsonNode resumed = commands.run("tenants", "resume", "acme", "--output", "json").done().json();
        assertThat(resumed.get("paused").booleanValue()).isFalse();
        assertThat(commands.run("tenants", "get", "acme", "--output", "json").done().json()
                .at("/policy/paused").booleanValue()).as("by its own setting").isFalse();
        assertThat(commands.run("tenants", "get", "bolt", "--output", "json").done().json()
                .at("/policy/paused").booleanValue()).isTrue();
    }

    private static void await(BooleanSupplier condition) {
        while (!condition.getAsBoolean()) {
            LockSupport.parkNanos(20_000_000);
        }
    }

    private static String[] rolesOptions(CommandsUnderTest commands) {
        String[] options = commands.routerOptions();
        options[1] = "router,worker";
        return options;
    }

    private static JsonNode tenant(CommandsUnderTest commands, String tenant) {
        return commands.run("depth", "--tenant", tenant, "--no-ages", "--output", "json").done().json()
                .at("/tenants/0");
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
