package io.spillway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.embedded.BrokerProcess;
import io.spillway.guarantee.SpillwayProcess;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Probes of a process with all roles while its cluster is away. */
@Timeout(900) // It becomes unready after 10 s. A process that never does fails here.
class ReadinessIT {
    private static final Pattern READY = Pattern.compile(
            ".* gateway=(http://127\\.0\\.0\\.1:\\d+) .*metrics=(http://127\\.0\\.0\\.1:\\d+)/metrics.*");

    @TempDir
    Path directory;

    private final HttpClient client = HttpClient.newHttpClient();

    @Test
    void a_process_without_its_cluster_is_alive_and_not_ready_until_the_cluster_is_back() throws Exception {
        try (BrokerProcess broker = BrokerProcess.start(directory.resolve("kafka"))) {
            CommandsUnderTest commands = new CommandsUnderTest(broker.bootstrapServers(), "spillway",
                    CommandsUnderTest.written(directory, CommandsUnderTest.SMALL + "handler:\n  type: log\n"));
            commands.run("topics", "create").done();
            try (SpillwayProcess running =
                    SpillwayProcess.start(directory.resolve("data"), Map.of(), commands.options());
                    client) {
                Matcher ready = READY.matcher(running.readyLine());
                assertThat(ready.matches()).as(running.readyLine()).isTrue();
                String gateway = ready.group(1);
                String metrics = ready.group(2);
                assertThat(status(gateway + "/readyz")).isEqualTo(200);
                assertThat(status(metrics + "/readyz")).isEqualTo(200);

                broker.kill();
                awaitStatus(metrics + "/readyz", 503);
                awaitStatus(gateway + "/readyz", 503);
                assertThat(status(metrics + "/livez")).isEqualTo(200);
                assertThat(status(gateway + "/livez")).isEqualTo(200);

                broker.restart();
                awaitStatus(metrics + "/readyz", 200);
                awaitStatus(gateway + "/readyz", 200);
                assertThat(running.log()).contains("Kafka has not answered for 10 s", "Kafka answers again");
            }
        }
    }

    private void awaitStatus(String url, int expected) throws Exception {
        while (status(url) != expected) {
            LockSupport.parkNanos(100_000_000);
        }
    }

    private int status(String url) throws Exception {
        return client.send(HttpRequest.newBuilder(URI.create(url)).build(), HttpResponse.BodyHandlers.discarding())
                .statusCode();
    }
}
