package io.spillway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.spillway.guarantee.KafkaUnderTest;
import io.spillway.guarantee.SpillwayProcess;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** What several tenants call, with the commands of the documentation. */
@Timeout(600) // Against a hang; nothing is measured.
class DestinationsIT {
    @RegisterExtension
    final KafkaUnderTest kafka = new KafkaUnderTest();

    @TempDir
    Path directory;

    @Test
    void tenants_that_name_a_destination_have_its_limits_together_and_no_other_tenant_waits() throws Exception {
        CommandsUnderTest commands = CommandsUnderTest.on(kafka, directory);
        commands.run("topics", "create").done();
        Map<String, Set<String>> got = new ConcurrentHashMap<>();
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 100);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext("/", exchange -> {
            exchange.getRequestBody().readAllBytes();
            got.computeIfAbsent(exchange.getRequestURI().getPath(), path -> ConcurrentHashMap.newKeySet())
                    .add(exchange.getRequestHeaders().getFirst("Spillway-Id"));
            exchange.sendResponseHeaders(204, -1);
            exchange.close();
        });
        server.start();
        String url = "http://127.0.0.1:" + server.getAddress().getPort() + "/{tenant}";
        try (SpillwayProcess all = SpillwayProcess.start(directory.resolve("data"), Map.of(
                "SPILLWAY_HANDLER_TYPE", "http", "SPILLWAY_HANDLER_HTTP_URL", url,
                "SPILLWAY_GATEWAY_PORT", "0"), Stream.concat(
                        Stream.of("--roles", "gateway,router,worker"), Stream.of(commands.options()))
                        .toArray(String[]::new))) {
            assertThat(commands.run("tenants", "set", "acme", "--destination", "crm").failedWith(1))
                    .contains("There is no destination crm. Set it first");
            assertThat(commands.run("destinations", "set", "crm", "--attempt-rate", "2", "--timeout", "5s").done()
                    .out()).contains("Destination crm: attemptRate=2 timeout=5s");
            commands.run("tenants", "set", "acme", "--destination", "crm").done();
            commands.run("tenants", "apply", "-f", Files.writeString(directory.resolve("tenants.yml"),
                    "tenants: {bolt: {destination: crm}}\n").toString(), "--wait").done();
            assertThat(commands.run("tenants", "get", "acme").done().out())
                    .containsPattern("timeout +5s +set for its destination");
            assertThat(commands.run("tenants", "export").done().out()).contains("destinations:", "crm:");

            for (String tenant : Stream.of("acme", "bolt", "other").toList()) {
                commands.run("send", "--tenant", tenant, "--count", "15").done();
            }
            await(got, "/other", 15);
            assertThat(count(got, "/acme") + count(got, "/bolt")).as("two a second").isLessThan(30);
            commands.run("destinations", "set", "crm", "--attempt-rate", "default", "--concurrency", "1", "--wait")
                    .done();
            await(got, "/acme", 15);
            await(got, "/bolt", 15);

            assertThat(commands.run("destinations", "list").done().out())
                    .containsPattern("crm +concurrency=1 timeout=5s");
            commands.run("destinations", "remove", "crm").done();
            assertThat(commands.run("destinations", "list").done().out()).contains("There is no destination.");
            assertThat(commands.run("destinations", "remove", "crm").failedWith(1)).contains("no destination crm");
            assertThat(commands.run("destinations", "set", "C_M", "--timeout", "5s").failedWith(2))
                    .contains("destination C_M: must be 1 to 63 of a-z");
            assertThat(all.stop()).isZero();
        } finally {
            server.stop(0);
        }
    }

    private static int count(Map<String, Set<String>> got, String path) {
        return got.getOrDefault(path, Set.of()).size();
    }

    private static void await(Map<String, Set<String>> got, String path, int count) {
        while (count(got, path) < count) {
            LockSupport.parkNanos(10_000_000);
        }
    }
}
