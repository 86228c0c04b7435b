package io.spillway.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import io.spillway.guarantee.KafkaUnderTest;
import io.spillway.guarantee.SpillwayProcess;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Drills on a router and a worker in one process, with shipped defaults except for the small topics and the trail. */
@Timeout(900) // Only against a hang.
@Tag("long")
class DrillCommandIT {
    @RegisterExtension
    final KafkaUnderTest kafka = new KafkaUnderTest();

    @TempDir
    Path directory;

    private CommandsUnderTest commands;

    @BeforeEach
    void topicsWithATrail() {
        commands = new CommandsUnderTest(kafka.bootstrapServers(), kafka.prefix(), CommandsUnderTest.written(
                directory, CommandsUnderTest.SMALL.replace("replication: 1", "replication: 1\n  trail: 10m")));
        commands.run("topics", "create").done();
    }

    @Test
    void an_outage_is_expected_first_and_then_made_and_every_item_ends() {
        assertThat(commands.run("drill", "outage").failedWith(1)).contains("0 routers and 0 workers");
        try (SpillwayProcess process = start(false)) {
            CommandRun expected = commands.run("drill", "outage", "--for", "5s");
            assertThat(expected.exitCode()).isEqualTo(2);
            assertThat(expected.err()).contains("Nothing is sent yet", "--yes", "1 worker with 50 slots");
            assertThat(expected.out()).contains("expected").doesNotContain("measured");
            assertThat(commands.run("depth", "--tenant", "drill").out()).doesNotContain("drill-quiet");

            JsonNode report = commands.run("drill", "outage", "--for", "5s", "--yes", "--output", "json").done().json();
            JsonNode measured = report.get("measured");
            assertThat(measured.get("finished").booleanValue()).isTrue();
            assertThat(measured.at("/items/0/sent").intValue()).isEqualTo(35 * 20);
            assertThat(measured.at("/items/0/done").intValue()).isEqualTo(35 * 20);
            assertThat(measured.at("/items/1/tenant").textValue()).isEqualTo("drill-quiet");
            assertThat(measured.at("/items/1/done").intValue()).isEqualTo(35 * 5);
            assertThat(measured.get("mostUnfinished").intValue()).as("what the outage held up").isGreaterThan(50);
            assertThat(measured.get("workersLost").intValue()).isZero();
            assertThat(measured.get("ages")).hasSize(6).allSatisfy(age -> {
                JsonNode same = find(report.at("/expected/ages"), age);
                assertThat(age.get("items").intValue()).isCloseTo(same.get("items").intValue(), within(20));
            });
            assertThat(process.stop()).isZero();
        }
        assertThat(commands.run("audit", "--output", "json").done().json().get("balanced").booleanValue()).isTrue();
    }

    @Test
    void an_item_that_kills_each_worker_becomes_a_dead_letter() throws Exception {
        List<SpillwayProcess> started = new ArrayList<>(List.of(start(true)));
        Thread supervisor = Thread.ofPlatform().start(() -> {
            while (!Thread.interrupted()) {
                if (!started.getLast().isAlive()) {
                    try {
                        started.add(start(true));
                    } catch (IllegalStateException killedBeforeItWasReady) {
                        // It is started again.
                    }
                }
                LockSupport.parkNanos(100_000_000);
            }
        });
        try {
            JsonNode measured = commands.run("drill", "killer", "--for", "90s", "--yes", "--output", "json")
                    .done().json().get("measured");
            assertThat(measured.at("/items/2/tenant").textValue()).isEqualTo("drill-killer");
            assertThat(measured.at("/items/2/dead").intValue()).isEqualTo(1);
            assertThat(measured.at("/items/0/done").intValue()).isEqualTo(120 * 20);
            assertThat(measured.at("/items/1/done").intValue()).isEqualTo(120 * 5);
            // What the router of the same process hands over before its commit dies once more: nobody knows it yet.
            assertThat(started.getFirst().log().lines().filter(line -> line.contains("A drill kills this process")))
                    .as("killer.deaths is 3").hasSizeBetween(3, 4);
        } finally {
            supervisor.interrupt();
            supervisor.join();
            started.forEach(SpillwayProcess::close);
        }
    }

    private static JsonNode find(JsonNode ages, JsonNode like) {
        for (JsonNode age : ages) {
            if (age.get("tenant").equals(like.get("tenant")) && age.get("phase").equals(like.get("phase"))) {
                return age;
            }
        }
        throw new AssertionError("no " + like + " in " + ages);
    }

    private SpillwayProcess start(boolean mayBeKilled) {
        String[] options = commands.routerOptions();
        options[1] = "router,worker";
        return SpillwayProcess.start(directory.resolve("process"),
                Map.of("SPILLWAY_WORKER_DRILL_KILLS", Boolean.toString(mayBeKilled)), options);
    }
}
