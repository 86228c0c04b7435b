package io.spillway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.spillway.guarantee.SpillwayProcess;
import io.spillway.runtime.Endpoint;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What {@code explain --id} tells of items that have finished, with the embedded Kafka and its defaults. */
@Timeout(900) // Against a hang; nothing is measured.
class FinishedItemsIT {
    private static final long LIMIT_SECONDS = 240;

    @TempDir
    Path directory;

    private String data;
    private String config;

    @Test
    void how_an_item_finished_is_known_after_it_is_purged() throws Exception {
        data = directory.resolve("data").toString();
        config = CommandsUnderTest.written(
                        directory, CommandsUnderTest.SMALL + "kafka:\n  embeddedPort: 0\nhandler:\n  type: log\n")
                .toString();
        try (SpillwayProcess running = SpillwayProcess.start(Path.of(data), Map.of(), "--config", config)) {
            run("tenants", "set", "old", "--ttl", "1m", "--wait").done();
            run("tenants", "set", "acme", "--tracked", "true", "--wait").done();
            String key = run("tenants", "key", "create", "acme", "--wait").done().out().strip();
            send("{\"tenant\":\"acme\",\"id\":\"order/6\",\"deliverAt\":\"" + Instant.now().plusSeconds(86_400)
                    + "\",\"payload\":\"x\"}");
            send("{\"tenant\":\"acme\",\"id\":\"order-1\",\"payload\":\"x\"}");
            send("{\"tenant\":\"old\",\"id\":\"order-2\",\"enqueuedAt\":1700000000000,\"payload\":\"x\"}");

            long deliverAtMillis = System.currentTimeMillis() + 2_000;
            send("{\"id\":\"order-5\",\"deliverAt\":" + deliverAtMillis + ",\"payload\":\"x\"}");
            JsonNode scheduled = end("order-5");
            assertThat(scheduled.get("place").textValue()).isEqualTo("done");
            assertThat(Instant.parse(scheduled.get("finishedAt").textValue()))
                    .as("not before its time").isAfterOrEqualTo(Instant.ofEpochMilli(deliverAtMillis));
            JsonNode done = end("order-1");
            assertThat(done.get("place").textValue()).isEqualTo("done");
            assertThat(done.get("tenant").textValue()).isEqualTo("acme");
            assertThat(done.get("attempts").intValue()).isEqualTo(1);
            assertThat(done.get("finishedAt").textValue()).matches("\\d{4}-.*Z");
            assertThat(state(key, "order-1")).contains("\"state\":\"done\",\"attempts\":1");
            assertThat(state(key, "order%2F6"))
                    .contains("\"state\":\"waiting\",\"lane\":\"delay\",\"reason\":\"scheduled\"");
            JsonNode dropped = end("order-2");
            assertThat(dropped.get("place").textValue()).isEqualTo("dropped");
            assertThat(dropped.get("reason").textValue()).isEqualTo("ttl");
            sendWithoutTenant("order-4");
            long untilNanos = System.nanoTime() + Duration.ofSeconds(LIMIT_SECONDS).toNanos();
            while (!run("dead-letters", "list", "--tenant", "(none)").out().contains("order-4")) {
                assertThat(System.nanoTime()).as("order-4 is a dead letter within a minute").isLessThan(untilNanos);
                LockSupport.parkNanos(20_000_000);
            }
            run("dead-letters", "discard", "--tenant", "(none)", "--yes").done();
            JsonNode discarded = end("order-4");
            assertThat(discarded.get("tenant").textValue()).isEqualTo("(none)");
            assertThat(discarded.get("place").textValue()).isEqualTo("dropped");
            assertThat(discarded.get("reason").textValue()).isEqualTo("discarded");
            assertThat(run("explain", "--id", "order-1").done().out())
                    .contains("item order-1 of acme, entered at spillway.ingress-", "done ", "finished");
            assertThat(run("explain", "--id", "order-3").failedWith(1))
                    .contains("No record of order-3", "Finished items are found for 1h (topics.trail)");
            Path recorded = directory.resolve("day.csv");
            assertThat(run("trace", "record", recorded.toString()).done().out())
                    .contains("day.csv: 2 items of 2 tenants in ");
            assertThat(Files.readAllLines(recorded)).hasSize(3).element(1).asString().matches("0,acme,\\d+");
            Path scenario = Files.writeString(directory.resolve("day.yml"), """
                    duration: 1m
                    tenants: [{name: r, arrivals: {type: trace, file: day.csv}}]
                    """);
            assertThat(CommandRun.of("simulate", scenario.toString()).done().out()).contains("acme");
            assertThat(run("trace", "senders").done().out()).contains("TENANT", "acme");
            JsonNode audit = run("audit", "--output", "json").done().json();
            assertThat(audit.get("balanced").booleanValue()).as("the trail counts in no balance").isTrue();
            assertThat(running.stop()).isZero();
        }
    }

    /** Returns what the gateway says of an item, once it knows it. */
    private String state(String key, String id) throws Exception {
        HttpRequest request = HttpRequest
                .newBuilder(URI.create(Endpoint.read(Path.of(data)).orElseThrow().gateway() + "/v1/items/" + id))
                .header("Authorization", "Bearer " + key).build();
        long endNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_SECONDS);
        try (HttpClient client = HttpClient.newHttpClient()) {
            String answer = "";
            while (System.nanoTime() < endNanos) {
                answer = client.send(request, HttpResponse.BodyHandlers.ofString()).body();
                if (answer.contains("\"state\"")) {
                    return answer;
                }
                LockSupport.parkNanos(20_000_000);
            }
            throw new AssertionError(id + " is not known within " + LIMIT_SECONDS + " s: " + answer);
        }
    }

    private void send(String line) throws Exception {
        Path file = Files.writeString(directory.resolve("items.jsonl"), line);
        run("send", "--file", file.toString()).done();
    }

    private void sendWithoutTenant(String id) throws Exception {
        Map<String, Object> settings = Map.of(
                ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, Endpoint.read(Path.of(data)).orElseThrow().kafka());
        try (KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer())) {
            ProducerRecord<byte[], byte[]> record = new ProducerRecord<>("spillway.ingress", new byte[] {'x'});
            record.headers()
                    .add("spillway-tenant", "a b".getBytes(StandardCharsets.US_ASCII))
                    .add("spillway-id", id.getBytes(StandardCharsets.US_ASCII));
            producer.send(record).get();
        }
    }

    /** Returns the last step of an item when it has finished. */
    private JsonNode end(String id) {
        long endNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_SECONDS);
        CommandRun found = null;
        while (System.nanoTime() < endNanos) {
            found = run("explain", "--id", id, "--output", "json");
            if (found.exitCode() == 0) {
                JsonNode steps = found.json().get("steps");
                JsonNode last = steps.get(steps.size() - 1);
                if (last.get("state").textValue().equals("finished")) {
                    return last;
                }
            }
            LockSupport.parkNanos(20_000_000);
        }
        throw new AssertionError(id + " has not finished within " + LIMIT_SECONDS + " s: " + found);
    }

    private CommandRun run(String... command) {
        return CommandRun.of(Stream.concat(Stream.of(command), Stream.of("--data", data, "--config", config))
                .toArray(String[]::new));
    }
}
