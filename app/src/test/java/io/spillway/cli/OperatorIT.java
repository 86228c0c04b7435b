package io.spillway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.spillway.core.item.Lane;
import io.spillway.deadletter.DeadLetterFixture;
import io.spillway.guarantee.KafkaUnderTest;
import io.spillway.guarantee.SpillwayProcess;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** An operator and a viewer at the gateway of a process of its own, with a real Kafka behind it. */
@Timeout(900) // Against a hang; nothing is measured.
class OperatorIT {
    private static final String ADMIN = "operators-of-this-test";
    private static final String VIEWER = "viewers-of-this-test";
    private static final int COUNT = 60;

    @RegisterExtension
    final KafkaUnderTest kafka = new KafkaUnderTest();

    @TempDir
    Path directory;

    private final HttpClient client = HttpClient.newHttpClient();
    private CommandsUnderTest commands;
    private String url;

    @BeforeEach
    void configure() {
        commands = CommandsUnderTest.on(kafka, directory);
    }

    @AfterEach
    void close() {
        client.close();
    }

    @Test
    void what_operators_do_over_http_is_what_the_commands_do_and_is_in_the_log() throws Exception {
        new DeadLetterFixture(kafka).bury(COUNT, i -> i < 40 ? "acme" : "globex");
        try (SpillwayProcess gateway = SpillwayProcess.start(
                directory.resolve("data"), Map.of("SPILLWAY_ADMIN_KEY", ADMIN, "SPILLWAY_VIEWER_KEY", VIEWER),
                Stream.concat(Stream.of("--roles", "gateway"), Stream.of(commands.options())).toArray(String[]::new))) {
            url = gateway.address("gateway").toString();
            actions();
            pages();
            runs();
        }
        log();
    }

    private void actions() throws Exception {
        String pause = "{\"action\":\"pause\",\"tenant\":\"acme\"}";
        assertThat(send("POST", "/admin/actions", pause, "Authorization", "Bearer " + VIEWER).statusCode())
                .isEqualTo(403);
        String zoe = basic("zoe", ADMIN);
        assertThat(send("POST", "/admin/actions", pause, "Authorization", zoe).statusCode()).isEqualTo(403);
        assertThat(commands.run("tenants", "list").done().out()).contains("No tenant has its own settings");

        HttpResponse<String> paused =
                send("POST", "/admin/actions", pause, "Authorization", zoe, "Spillway-CSRF", "1", "Origin", url);
        assertThat(paused.statusCode()).as(paused.body()).isEqualTo(200);
        assertThat(commands.run("tenants", "list").done().out()).contains("acme", "paused=true");
        commands.run("tenants", "resume", "acme").done();
    }

    private void pages() throws Exception {
        List<String> ids = new ArrayList<>();
        String cursor = "";
        while (!cursor.equals("null")) {
            JsonNode page = json(get("/admin/dead-letters?limit=25" + cursor));
            page.get("items").forEach(item -> ids.add(item.get("id").textValue()));
            if (cursor.isEmpty()) {
                assertThat(page.get("countsComplete").booleanValue()).isTrue();
                assertThat(page.at("/counts/0/count").intValue()).isEqualTo(40);
            }
            cursor = page.get("cursor").isNull() ? "null" : "&cursor=" + page.get("cursor").textValue();
        }
        assertThat(ids).containsExactlyElementsOf(
                IntStream.range(0, COUNT).mapToObj(i -> "id-" + (COUNT - 1 - i)).toList());
        assertThat(json(get("/admin/dead-letters?tenant=globex&limit=200")).get("items")).hasSize(20);
        JsonNode shown = json(get("/admin/dead-letters/1-0"));
        assertThat(shown.get("payload").textValue()).isEqualTo("payload 1");
        assertThat(shown.get("kind").textValue()).isEqualTo("text");
    }

    private void runs() throws Exception {
        String acme = "{\"kind\":\"replay\",\"filter\":{\"tenant\":\"acme\"},\"rate\":1000";
        JsonNode plan = json(post("/admin/runs", acme + ",\"dryRun\":true}"));
        assertThat(plan.get("selected").intValue()).isEqualTo(40);
        assertThat(plan.at("/byTenantAndReason/0/tenant").textValue()).isEqualTo("acme");
        assertThat(kafka.readAll(commands.topics().lane(Lane.DELAY))).isEmpty();

        HttpResponse<String> started = post("/admin/runs", acme + "}");
        assertThat(started.statusCode()).as(started.body()).isEqualTo(202);
        JsonNode done = ended(json(started).get("id").textValue());
        assertThat(done.get("state").textValue()).as(done.toString()).isEqualTo("done");
        assertThat(done.get("done").intValue()).isEqualTo(40);
        assertThat(kafka.readAll(commands.topics().lane(Lane.DELAY))).hasSize(40);

        JsonNode discarded = ended(json(post("/admin/runs",
                "{\"kind\":\"discard\",\"filter\":{\"ids\":[\"id-41\",\"id-43\",\"id-1\"]}}")).get("id").textValue());
        assertThat(discarded.get("result").textValue()).isEqualTo("Discarded 2 dead letters.");
        kafka.readAll(commands.topics().lane(Lane.DEAD_LETTER));
        assertThat(json(get("/admin/dead-letters?limit=200")).get("items")).hasSize(18);
        assertThat(json(get("/admin/runs")).get("runs")).hasSize(2);
    }

    private void log() {
        JsonNode entries = commands.run("actions", "list", "--output", "json").done().json();
        List<String> all = new ArrayList<>();
        entries.forEach(entry -> all.add(entry.get("by").textValue() + " " + entry.get("action").textValue() + " "
                + entry.path("tenant").asText() + ": " + entry.get("result").textValue()));
        assertThat(all).hasSize(6);
        assertThat(all.get(5)).startsWith("zoe pause acme: acme is paused.");
        assertThat(all.get(4)).matches(System.getProperty("user.name") + "@?.* resume acme: acme is not paused\\.");
        assertThat(all.get(3)).startsWith("operator replay acme: Started run ");
        assertThat(all.get(2)).contains("operator replay acme: Run ", "Replayed 40 dead letters, the last due at");
        assertThat(all.get(0)).contains("operator discard", "Discarded 2 dead letters.");
        assertThat(commands.run("actions", "list", "--tenant", "acme", "--limit", "1").done().outLines())
                .hasSize(2).last().asString().contains("replay", "rate=1000.0", "Replayed 40 dead letters");
        assertThat(commands.run("actions", "list", "--tenant", "nobody").done().out())
                .isEqualTo("No action is recorded.\n");
        assertThat(commands.run("actions", "list", "--limit", "0").failedWith(2)).contains("--limit 0: must be 1 to");
    }

    private JsonNode ended(String id) throws Exception {
        while (true) {
            JsonNode run = json(get("/admin/runs/" + id));
            if (!List.of("counting", "running").contains(run.get("state").textValue())) {
                return run;
            }
            LockSupport.parkNanos(20_000_000);
        }
    }

    private HttpResponse<String> get(String path) throws Exception {
        return send("GET", path, "", "Authorization", "Bearer " + ADMIN);
    }

    private HttpResponse<String> post(String path, String body) throws Exception {
        return send("POST", path, body, "Authorization", "Bearer " + ADMIN);
    }

    private HttpResponse<String> send(String method, String path, String body, String... headers) throws Exception {
        return client.send(
                HttpRequest.newBuilder(URI.create(url + path)).headers(headers)
                        .method(method, HttpRequest.BodyPublishers.ofString(body)).build(),
                HttpResponse.BodyHandlers.ofString());
    }

    private static JsonNode json(HttpResponse<String> answer) throws Exception {
        assertThat(answer.statusCode()).as(answer.body()).isBetween(200, 299);
        return new JsonMapper().readTree(answer.body());
    }

    private static String basic(String user, String key) {
        return "Basic " + Base64.getEncoder().encodeToString((user + ":" + key).getBytes(StandardCharsets.UTF_8));
    }
}
