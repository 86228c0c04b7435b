package io.spillway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.guarantee.KafkaUnderTest;
import io.spillway.guarantee.SpillwayProcess;
import io.spillway.kafka.codec.RecordCodec;
import io.spillway.runtime.Endpoint;
import io.spillway.schema.WorkItem;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The gateway of a process of its own, with a real Kafka behind it. */
@Timeout(900) // Against a hang; nothing is measured.
class GatewayIT {
    private static final Pattern READY =
            Pattern.compile("spillway ready gateway=(http://127\\.0\\.0\\.1:\\d+) kafka=\\S+"
                    + " metrics=(http://127\\.0\\.0\\.1:\\d+/metrics)");
    private static final Pattern ID = Pattern.compile("\"id\":\"([^\"]+)\"");

    @RegisterExtension
    final KafkaUnderTest kafka = new KafkaUnderTest();

    @TempDir
    Path directory;

    private final HttpClient client = HttpClient.newHttpClient();
    private CommandsUnderTest commands;
    private Path data;

    @BeforeEach
    void configure() {
        commands = CommandsUnderTest.on(kafka, directory);
        commands.run("topics", "create").done();
        data = directory.resolve("data");
    }

    @AfterEach
    void close() {
        client.close();
    }

    @Test
    void what_it_accepts_is_in_kafka_and_a_revoked_key_opens_nothing_any_more() throws Exception {
        String before = key("acme");
        try (SpillwayProcess running = start()) {
            Matcher ready = READY.matcher(running.readyLine());
            assertThat(ready.matches()).as(running.readyLine()).isTrue();
            String url = ready.group(1);
            assertThat(Endpoint.read(data).orElseThrow().gateway()).isEqualTo(url);
            assertThat(get(url + "/readyz", "").statusCode()).isEqualTo(200);

            assertThat(post(url, before, "one").body()).isEqualTo("{\"id\":\"one\",\"tenant\":\"acme\"}");
            String made = key("bolt");
            commands.run("tenants", "key", "list", "--output", "json").done();
            awaitStatus(url, made, 202);
            assertThat(tenants()).containsOnly("acme", "bolt");

            commands.run("tenants", "key", "revoke", "acme", "--wait").done();
            assertThat(post(url, before, "late").statusCode()).as("the wait is for this gateway").isEqualTo(401);
            assertThat(ids()).contains("one").doesNotContain("late");

            commands.run("tenants", "set", "bolt", "--admission-rate", "0.001", "--admission-burst", "1", "--wait")
                    .done();
            assertThat(Stream.generate(() -> send(url, made, "limited"))
                            .limit(20)
                            .anyMatch(answer -> answer.statusCode() == 429))
                    .isTrue();

            String adminKey = Files.readString(data.resolve("admin.key")).strip();
            assertThat(Files.getPosixFilePermissions(data.resolve("admin.key")))
                    .isEqualTo(PosixFilePermissions.fromString("rw-------"));
            assertThat(get(url + "/admin/tenants/bolt", adminKey).body())
                    .contains("\"tenant\":\"bolt\"", "\"admissionRatePerSecond\":0.001", "\"waiting\":null");
            assertThat(get(url + "/admin/tenants/bolt", made).statusCode()).isEqualTo(403);
            assertThat(get(url + "/admin/depths", adminKey).body())
                    .contains("\"lanes\":{\"hot\":{\"waiting\":0,", "\"tenantsKnown\":0");
            assertThat(get(url + "/console", adminKey).body()).contains("<title>Spillway</title>");
            assertThat(get(url + "/metrics", adminKey).body())
                    .containsPattern("spillway_gateway_requests_total\\{queue=\"[^\"]+\",status=\"202\"}");
            assertThat(get(ready.group(2), "").body())
                    .containsPattern("spillway_gateway_requests_total\\{queue=\"[^\"]+\",status=\"429\"}");
            assertThat(running.stop()).isZero();
            assertThat(running.log()).doesNotContain(before, made, adminKey).doesNotContain("ERROR");
        }
    }

    @Test
    void under_load_a_stop_loses_nothing_that_was_accepted() throws Exception {
        String key = key("acme");
        Set<String> accepted = ConcurrentHashMap.newKeySet();
        CountDownLatch loaded = new CountDownLatch(200);
        try (SpillwayProcess running = start(); var callers = Executors.newVirtualThreadPerTaskExecutor()) {
            String url = READY.matcher(running.readyLine()).results().findFirst().orElseThrow().group(1);
            List<Future<Integer>> ends = new ArrayList<>();
            for (int caller = 0; caller < 16; caller++) {
                int number = caller;
                ends.add(callers.submit(() -> load(url, key, number, accepted, loaded)));
            }
            loaded.await();
            assertThat(running.stop()).isZero();
            for (Future<Integer> end : ends) {
                assertThat(end.get()).as("the last thing a caller is told").isIn(503, 0);
            }
            assertThat(running.log()).doesNotContain("ERROR", "not answered");
        }
        assertThat(accepted).hasSizeGreaterThanOrEqualTo(200);
        assertThat(new java.util.HashSet<>(ids())).containsAll(accepted);
    }

    /** Sends one request after the other until it is stopped or the gateway does not answer. */
    private int load(String url, String key, int caller, Set<String> accepted, CountDownLatch loaded)
            throws InterruptedException {
        for (int i = 0; ; i++) {
            HttpResponse<String> answer;
            try {
                boolean batch = i % 5 == 4;
                String id = caller + "-" + i;
                answer = client.send(
                        HttpRequest.newBuilder(URI.create(url + (batch ? "/v1/items:batch" : "/v1/items")))
                                .header("Authorization", "Bearer " + key)
                                .header("Idempotency-Key", id)
                                .POST(HttpRequest.BodyPublishers.ofString(
                                        batch
                                                ? "{\"id\":\"" + id + "a\",\"payload\":\"x\"}\n{\"id\":\"" + id
                                                        + "b\",\"payload\":\"x\"}\n"
                                                : "x"))
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
            } catch (IOException gone) {
                return 0;
            }
            if (answer.statusCode() >= 300) {
                return answer.statusCode();
            }
            Matcher ids = ID.matcher(answer.body());
            while (ids.find()) {
                accepted.add(ids.group(1));
            }
            loaded.countDown();
        }
    }

    private SpillwayProcess start() {
        return SpillwayProcess.start(data, Map.of(), Stream.concat(
                Stream.of("--roles", "gateway"), Stream.of(commands.options())).toArray(String[]::new));
    }

    private String key(String tenant) {
        return commands.run("tenants", "key", "create", tenant, "--output", "json")
                .done()
                .json()
                .get("key")
                .textValue();
    }

    /** A new key is known within a moment, whatever that is on a busy machine. */
    private void awaitStatus(String url, String key, int status) {
        while (send(url, key, "awaited").statusCode() != status) {
            LockSupport.parkNanos(2_000_000);
        }
    }

    private HttpResponse<String> post(String url, String key, String id) {
        return send(url, key, id);
    }

    private HttpResponse<String> send(String url, String key, String id) {
        return send(HttpRequest.newBuilder(URI.create(url + "/v1/items"))
                .header("Authorization", "Bearer " + key)
                .header("Idempotency-Key", id)
                .POST(HttpRequest.BodyPublishers.ofString("x"))
                .build());
    }

    private HttpResponse<String> get(String url, String key) {
        return send(HttpRequest.newBuilder(URI.create(url)).header("Authorization", "Bearer " + key).build());
    }

    private HttpResponse<String> send(HttpRequest request) {
        try {
            return client.send(request, HttpResponse.BodyHandlers.ofString());
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private List<String> ids() throws Exception {
        return field("id");
    }

    private Set<String> tenants() throws Exception {
        return field("tenant").stream().collect(Collectors.toSet());
    }

    private List<String> field(String name) throws Exception {
        RecordCodec<WorkItem> codec = new RecordCodec<>(new WorkItem());
        return kafka.readAll(commands.topics().ingress()).stream()
                .map(record -> codec.decode(record.value()).get(name).toString())
                .toList();
    }
}
