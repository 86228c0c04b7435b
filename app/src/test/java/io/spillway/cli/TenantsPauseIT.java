package io.spillway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.spillway.guarantee.KafkaUnderTest;
import io.spillway.guarantee.SpillwayProcess;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** {@code tenants pause} and {@code tenants resume} with a router and a worker that run. */
@Timeout(300) // Only against a hang.
class TenantsPauseIT {
    @RegisterExtension
    final KafkaUnderTest kafka = new KafkaUnderTest();

    @TempDir
    Path directory;

    @Test
    void items_of_a_paused_tenant_are_held_and_each_is_handled_once_when_it_is_resumed() throws Exception {
        CommandsUnderTest commands = CommandsUnderTest.on(kafka, directory);
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
        CommandsUnderTest commands = CommandsUnderTest.on(kafka, directory);
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
}
