package io.spillway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.spillway.guarantee.KafkaUnderTest;
import io.spillway.guarantee.SpillwayProcess;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** {@code cancel} while no worker runs, and what a worker then does. */
@Timeout(900) // Only against a hang.
class CancelCommandIT {
    @RegisterExtension
    final KafkaUnderTest kafka = new KafkaUnderTest();

    @TempDir
    Path directory;

    @Test
    void waiting_items_are_counted_cancelled_and_dropped_and_later_ones_are_handled() throws Exception {
        CommandsUnderTest commands = CommandsUnderTest.on(kafka, directory);
        commands.run("topics", "create").done();
        try (SpillwayProcess router = SpillwayProcess.start(
                directory.resolve("router"), Map.of(), commands.routerOptions())) {
            commands.run("send", "--tenant", "acme", "--count", "20").done();
            commands.run("send", "--tenant", "bolt", "--count", "3").done();
            commands.run("send", "--tenant", "later", "--count", "1", "--deliver-at", "2h").done();
            commands.awaitRouted(kafka.admin());
            assertThat(router.stop()).isZero();
        }

        CommandRun preview = commands.run("cancel", "--tenant", "acme");
        assertThat(preview.failedWith(2)).contains("Nothing is cancelled yet", "--yes");
        assertThat(preview.out()).contains("20 waiting items of acme that entered before");
        assertThat(commands.run("cancel", "--tenant", "acme", "--workload", "mail").out()).contains("0 waiting items");
        assertThat(commands.run("cancel", "--tenant", "acme", "--before", "1h").out()).contains("0 waiting items");
        JsonNode cancelled = commands.run("cancel", "--tenant", "acme", "--yes", "--output", "json").done().json();
        assertThat(cancelled.get("waiting").intValue()).isEqualTo(20);
        assertThat(cancelled.get("cancelled").booleanValue()).isTrue();
        assertThat(commands.run("cancel", "--tenant", "later", "--yes").done().err())
                .contains("1 of them waits in delay. It is dropped when it is due");
        assertThat(commands.run("sweep", "list", "--output", "json").done().json().at("/0/kind").textValue())
                .isEqualTo("cancel");
        assertThat(commands.run("explain", "--tenant", "acme").done().out()).contains(": dropped (cancelled)");
        commands.run("send", "--tenant", "acme", "--count", "2").done();

        try (SpillwayProcess both = SpillwayProcess.start(
                directory.resolve("both"), Map.of(), rolesOptions(commands))) {
            while (waiting(commands) > 0) {
                LockSupport.parkNanos(10_000_000);
            }
            assertThat(both.stop()).isZero();
        }
        assertThat(tenant(commands, "acme").get("dropped").intValue()).isEqualTo(20);
        assertThat(tenant(commands, "acme").get("done").intValue()).isEqualTo(2);
        assertThat(tenant(commands, "bolt").get("done").intValue()).isEqualTo(3);
        assertThat(commands.run("audit", "--output", "json").done().json().get("balanced").booleanValue()).isTrue();
    }

    private static String[] rolesOptions(CommandsUnderTest commands) {
        String[] options = commands.routerOptions();
        options[1] = "router,worker";
        return options;
    }

    private static int waiting(CommandsUnderTest commands) {
        // A tenant is missing until its first balance is written.
        JsonNode acme = tenant(commands, "acme");
        return 22 - acme.path("done").asInt() - acme.path("dropped").asInt()
                + 3 - tenant(commands, "bolt").path("done").asInt();
    }

    private static JsonNode tenant(CommandsUnderTest commands, String tenant) {
        return commands.run("depth", "--tenant", tenant, "--no-ages", "--output", "json").done().json()
                .at("/tenants/0");
    }
}
