package io.spillway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.spillway.demo.DemoPlan;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Independent of the speed of the demo. */
@Timeout(600) // Against a hang.
class DemoIT {
    @TempDir
    Path directory;

    @Test
    void the_shortest_demo_shows_all_events_and_loses_nothing() throws IOException {
        Path chart = directory.resolve("demo.png");
        CommandRun run = CommandRun.of("demo", "--seconds", "3", "--chart", chart.toString(), "--output", "json")
                .done();
        JsonNode json = run.json();

        assertThat(run.err()).isEmpty();
        assertThat(json.get("finished").booleanValue()).isTrue();
        assertThat(json.at("/audit/balanced").booleanValue()).isTrue();
        assertThat(json.at("/audit/tenants").intValue()).isEqualTo(DemoPlan.QUIET_TENANTS + 5);
        for (JsonNode tenant : json.get("tenants")) {
            assertEveryItemIsAccountedFor(tenant);
        }
        assertThat(of("swept", json).get("dropped").intValue())
                .as("most of the old items").isGreaterThanOrEqualTo(DemoPlan.OLD_ITEMS / 2);
        assertThat(of("poisoned", json).get("deadLettered").intValue()).isEqualTo(1);
        assertThat(json.at("/poisonPill/attempts").intValue()).isGreaterThanOrEqualTo(DemoPlan.ATTEMPTS);
        assertThat(json.at("/poisonPill/reason").textValue()).isEqualTo("attempts-used-up");
        for (String phase : List.of("before", "during", "after")) {
            for (String queue : List.of("spillway", "fifo")) {
                JsonNode ages = json.at("/quiet/" + phase + "/" + queue);
                assertThat(ages.get("items").intValue()).as(phase + " " + queue).isPositive();
                assertThat(ages.get("p99Millis").longValue()).isGreaterThanOrEqualTo(ages.get("p50Millis").longValue());
            }
        }
        assertThat(ImageIO.read(chart.toFile()).getHeight()).isPositive();
        assertThat(json.get("chart").textValue()).isEqualTo(chart.toString());
        assertThat(demoDirectories()).as("all files are deleted").isEmpty();
    }

    private static void assertEveryItemIsAccountedFor(JsonNode tenant) {
        long sent = tenant.get("sent").longValue();
        assertThat(sent).as(tenant.toString()).isPositive();
        assertThat(tenant.get("accepted").longValue()).as(tenant.toString()).isEqualTo(sent);
        assertThat(tenant.get("waiting").longValue()).as(tenant.toString()).isZero();
        assertThat(tenant.get("done").longValue()
                        + tenant.get("dropped").longValue()
                        + tenant.get("deadLettered").longValue())
                .as(tenant.toString())
                .isEqualTo(sent);
        assertThat(tenant.get("fifoDone").longValue() + tenant.get("fifoGivenUp").longValue())
                .as(tenant.toString()).isEqualTo(sent);
    }

    private static JsonNode of(String name, JsonNode json) {
        for (JsonNode tenant : json.get("tenants")) {
            if (tenant.get("tenant").textValue().equals(name)) {
                return tenant;
            }
        }
        throw new AssertionError("no " + name + " in " + json);
    }

    /** Returns those of this process; others may run a demo at the same time. */
    private static List<Path> demoDirectories() throws IOException {
        String prefix = "spillway-demo-" + ProcessHandle.current().pid() + "-";
        try (Stream<Path> found = Files.list(Path.of(System.getProperty("java.io.tmpdir")))) {
            return found.filter(path -> path.getFileName().toString().startsWith(prefix)).toList();
        }
    }
}
