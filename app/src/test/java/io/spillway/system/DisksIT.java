package io.spillway.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.spillway.cli.CommandRun;
import io.spillway.guarantee.SpillwayProcess;
import io.spillway.runtime.Endpoint;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A process with its own Kafka on a disk of 400 MiB, of which 40 are kept, that fills up or becomes slow. */
@Timeout(900) // Against a hang; nothing is measured.
@Tag("long")
class DisksIT {
    private static final int SIZE_MIB = 400;
    /** By which each write takes longer. */
    private static final int SLOW_MILLIS = 100;

    private final HttpClient client = HttpClient.newHttpClient();
    private final List<String> accepted = new ArrayList<>();

    @TempDir
    private Path directory;

    private SmallDisk disk;
    private Path data;

    @BeforeEach
    void mount() throws IOException {
        Optional<SmallDisk> mounted = SmallDisk.mount(directory.resolve("disk"), SIZE_MIB);
        assumeTrue(mounted.isPresent(), "A file system can be mounted only by root");
        disk = mounted.get();
        // The log is on another disk, as that of a container or of a service is.
        data = Files.createDirectories(directory.resolve("data"));
        for (String part : List.of("kafka", "state")) {
            Files.createSymbolicLink(
                    data.resolve(part), Files.createDirectories(disk.directory().resolve(part)));
        }
    }

    @AfterEach
    void unmount() {
        client.close();
        if (disk != null) {
            disk.close();
        }
    }

    @Test
    void before_the_disk_is_full_nothing_is_accepted_or_moved_and_all_goes_on_when_there_is_room() throws Exception {
        try (SpillwayProcess running = start()) {
            String key = command("tenants", "key", "create", "acme").done().out().strip();
            awaitStatus(key, 202);

            disk.leave(30);
            awaitStatus(key, 503);
            assertThat(post(key).body()).contains("no-space");
            assertThat(running.log()).contains("are free on the disk of", "Gateways accept no items");
            awaitAllDone();

            disk.leave(10);
            awaitLog(running, "Gateways accept and routers move no items");
            // Past the gateway, as a producer of somebody else.
            command("send", "--tenant", "acme", "--count", "20").done();
            assertThat(audit().get("accepted").asInt()).as("the router rests").isEqualTo(accepted.size());
            assertThat(command("doctor").exitCode()).isEqualTo(1);

            disk.clear();
            awaitStatus(key, 202);
            while (audit().get("done").asInt() < accepted.size() + 20) {
                pause();
            }
            assertThat(running.log()).contains("All disks have room again");
            assertThat(running.stop()).isZero();
        }
    }

    @Test
    void a_process_whose_disk_is_full_at_once_ends_with_what_to_do_and_has_lost_nothing_when_there_is_room()
            throws Exception {
        try (SpillwayProcess running = start()) {
            String key = command("tenants", "key", "create", "acme").done().out().strip();
            awaitStatus(key, 202);
            disk.leave(0);
            while (running.isAlive()) {
                try {
                    post(key);
                } catch (IOException ended) {
                    pause();
                }
            }
            assertThat(running.log()).contains("The embedded Kafka failed, so this process halts. Check the disk");
        }
        disk.clear();
        try (SpillwayProcess again = start()) {
            awaitAllDone();
            assertThat(again.stop()).isZero();
        }
    }

    @Test
    void a_slow_disk_delays_items_and_loses_none() throws Exception {
        Path slow = directory.resolve("slow");
        Map<String, String> environment = SlowDisk.environment(directory, disk.directory(), slow, SLOW_MILLIS);
        assumeFalse(environment.isEmpty(), "There is no C compiler");
        try (SpillwayProcess running = start(environment)) {
            String key = command("tenants", "key", "create", "acme").done().out().strip();
            awaitStatus(key, 202);
            awaitAllDone();

            Files.createFile(slow);
            long startNanos = System.nanoTime();
            for (int i = 0; i < 100; i++) {
                assertThat(post(key).statusCode()).isEqualTo(202);
            }
            long sentNanos = System.nanoTime();
            awaitAllDone();
            System.out.printf("each write %d ms longer: 100 items accepted in %d ms, done %d ms later%n",
                    SLOW_MILLIS, (sentNanos - startNanos) / 1_000_000, (System.nanoTime() - sentNanos) / 1_000_000);

            Files.delete(slow);
            awaitStatus(key, 202);
            awaitAllDone();
            assertThat(audit().get("accepted").asInt()).isEqualTo(accepted.size());
            assertThat(running.stop()).isZero();
        }
    }

    private SpillwayProcess start() {
        return start(Map.of());
    }

    private SpillwayProcess start(Map<String, String> more) {
        Map<String, String> environment = new HashMap<>(more);
        environment.putAll(Map.of(
                "SPILLWAY_HANDLER_TYPE", "log", "SPILLWAY_KAFKA_EMBEDDEDPORT", "0", "SPILLWAY_TOPICS_PARTITIONS", "2"));
        return SpillwayProcess.start(data, environment);
    }

    private CommandRun command(String... words) {
        return CommandRun.of(Stream.concat(Stream.of(words), Stream.of("--data", data.toString()))
                .toArray(String[]::new));
    }

    private JsonNode audit() {
        return command("audit", "--output", "json").done().json();
    }

    private void awaitAllDone() {
        while (audit().get("done").asInt() < accepted.size()) {
            pause();
        }
    }

    private void awaitStatus(String key, int status) throws Exception {
        while (post(key).statusCode() != status) {
            pause();
        }
    }

    private static void awaitLog(SpillwayProcess running, String line) {
        while (!running.log().contains(line)) {
            pause();
        }
    }

    private static void pause() {
        LockSupport.parkNanos(Duration.ofMillis(100).toNanos());
    }

    private HttpResponse<String> post(String key) throws IOException, InterruptedException {
        String id = "id-" + accepted.size();
        String url = Endpoint.read(data).orElseThrow().gateway();
        HttpResponse<String> response = client.send(HttpRequest.newBuilder(URI.create(url + "/v1/items"))
                .header("Authorization", "Bearer " + key).header("Idempotency-Key", id)
                .POST(HttpRequest.BodyPublishers.ofString("x".repeat(10_000))).build(),
                HttpResponse.BodyHandlers.ofString());
        if (response.statusCode() == 202) {
            accepted.add(id);
        }
        return response;
    }
}
