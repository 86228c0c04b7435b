package io.spillway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
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
        JsonNode audit = json.get("audit");
        assertThat(audit.get("balanced").booleanValue()).isTrue();
        assertThat(audit.get("tenants").intValue()).as("20 quiet ones and 5 others").isEqualTo(25);
        assertThat(audit.get("accepted").longValue()).as(audit.toString()).isPositive()
                .isEqualTo(audit.get("sent").longValue())
                .isEqualTo(audit.get("done").longValue() + audit.get("dropped").longValue() + 1);
        assertThat(audit.get("dead-letter").longValue()).as("the poison pill").isEqualTo(1);
        assertThat(audit.get("dropped").longValue()).as("most of the swept burst").isGreaterThanOrEqualTo(150);
        assertThat(json.get("findings").toString()).contains("poison pill was tried 4 times and is a dead letter");
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

    /** Returns those of this process; others may run a demo at the same time. */
    private static List<Path> demoDirectories() throws IOException {
        String prefix = "spillway-demo-" + ProcessHandle.current().pid() + "-";
        try (Stream<Path> found = Files.list(Path.of(System.getProperty("java.io.tmpdir")))) {
            return found.filter(path -> path.getFileName().toString().startsWith(prefix)).toList();
        }
    }
}
