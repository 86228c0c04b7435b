package io.spillway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.spillway.guarantee.KafkaUnderTest;
import io.spillway.guarantee.SpillwayProcess;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Tenants with the ids of identity systems on every way of an item and of an operator. */
@Timeout(900) // Against a hang; nothing is measured.
class TenantNamesIT {
    private static final List<String> NAMES =
            List.of("auth0|5f7c", "a+b@c.example", "@org:42", "{%2F}#$&;=?[]^~");
    private static final String ADMIN = "operators-of-this-test";

    @RegisterExtension
    final KafkaUnderTest kafka = new KafkaUnderTest();

    @TempDir
    Path directory;

    private final HttpClient client = HttpClient.newHttpClient();
    private final BlockingQueue<List<String>> handled = new LinkedBlockingQueue<>();
    private CommandsUnderTest commands;
    private HttpServer destination;

    @BeforeEach
    void configure() throws IOException {
        commands = CommandsUnderTest.on(kafka, directory);
        commands.run("topics", "create").done();
        destination = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        destination.createContext("/", this::take);
        destination.start();
    }

    @AfterEach
    void close() {
        destination.stop(0);
        client.close();
    }

    private void take(HttpExchange exchange) throws IOException {
        exchange.getRequestBody().readAllBytes();
        String id = exchange.getRequestHeaders().getFirst("Spillway-Id");
        handled.add(List.of(exchange.getRequestHeaders().getFirst("Spillway-Tenant"),
                exchange.getRequestURI().getPath().substring(1), id));
        exchange.sendResponseHeaders(id.equals("bad") ? 422 : 204, -1);
        exchange.close();
    }

    @Test
    void a_name_arrives_as_it_is_and_is_one_in_commands_pages_metrics_and_balances() throws Exception {
        for (String name : NAMES) {
            assertThat(commands.run("tenants", "pause", name).done().out())
                    .contains(name + " is paused. To undo it: spillway tenants resume ");
            commands.run("tenants", "resume", name).done();
            commands.run("tenants", "set", name, "--workload", name, "--weight", "2").done();
        }
        Path policies = directory.resolve("policies.yml");
        commands.run("tenants", "export", "-f", policies.toString()).done();
        assertThat(commands.run("tenants", "apply", "-f", policies.toString(), "--prune", "--dry-run").done().out())
                .doesNotContain("+ ", "- ", "~ ");

        try (SpillwayProcess running = SpillwayProcess.start(directory.resolve("data"),
                Map.of("SPILLWAY_ADMIN_KEY", ADMIN, "SPILLWAY_HANDLER_TYPE", "http", "SPILLWAY_HANDLER_HTTP_URL",
                        "http://127.0.0.1:" + destination.getAddress().getPort() + "/{tenant}"),
                commands.options())) {
            String url = running.address("gateway").toString();
            for (String name : NAMES) {
                useAll(name, url);
            }
            assertThat(commands.run("audit").done().out())
                    .contains("The balances of " + NAMES.size() + " tenants are correct.");
            assertThat(running.stop()).isZero();
            assertThat(running.log()).doesNotContain("ERROR");
        }
    }

    private void useAll(String name, String url) throws Exception {
        String key = commands.run("tenants", "key", "create", name, "--wait", "--output", "json").done().json()
                .get("key").textValue();
        HttpResponse<String> answer = client.send(HttpRequest.newBuilder(URI.create(url + "/v1/items"))
                .headers("Authorization", "Bearer " + key, "Idempotency-Key", "one", "Spillway-Workload", name)
                .POST(HttpRequest.BodyPublishers.ofString("x")).build(), HttpResponse.BodyHandlers.ofString());
        assertThat(answer.body()).isEqualTo("{\"id\":\"one\",\"tenant\":\"" + name + "\"}");
        assertThat(handled.take()).isEqualTo(List.of(name, name, "one"));

        Path items = Files.writeString(directory.resolve("items.jsonl"),
                "{\"tenant\":\"" + name + "\",\"workload\":\"" + name + "\",\"id\":\"bad\",\"payload\":\"x\"}\n");
        commands.run("send", "--file", items.toString()).done();
        assertThat(handled.take()).isEqualTo(List.of(name, name, "bad"));
        String path = "/admin/tenants/" + URLEncoder.encode(name, StandardCharsets.UTF_8).replace("+", "%20");
        assertThat(get(url + path)).contains("\"tenant\":\"" + name + "\"", "\"workloads\":{\"" + name + "\":");
        assertThat(get(url + "/metrics"))
                .contains("lane=\"hot\",queue=\"" + commands.prefix() + "\",tenant=\"" + name + "\"");
        assertThat(commands.run("explain", "--tenant", name).done().out()).startsWith(name + ": ");
        while (!commands.run("dead-letters", "list", "--tenant", name).done().out().contains("final-failure")) {
            Thread.onSpinWait();
        }
        assertThat(commands.run("dead-letters", "replay", "--tenant", name, "--yes").done().out()).contains("1");
        assertThat(handled.take()).isEqualTo(List.of(name, name, "bad"));
        commands.run("cancel", "--tenant", name, "--workload", name, "--yes").done();
        commands.run("sweep", "record", "--tenant", name, "--workload", name, "--started-at", "1m").done();
    }

    private String get(String url) throws Exception {
        return client.send(HttpRequest.newBuilder(URI.create(url)).header("Authorization", "Bearer " + ADMIN).build(),
                HttpResponse.BodyHandlers.ofString()).body();
    }
}
