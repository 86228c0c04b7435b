package io.spillway.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.spillway.guarantee.ChildJvm;
import io.spillway.guarantee.KafkaUnderTest;
import io.spillway.guarantee.SpillwayProcess;
import io.spillway.kafka.topics.KafkaClients;
import io.spillway.kafka.topics.TopicSpec;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.GroupListing;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The commands {@code doctor} and {@code top} on a real cluster. */
@Timeout(900) // Against a hang; nothing is measured.
class DiagnosisIT {
    @RegisterExtension
    final KafkaUnderTest kafka = new KafkaUnderTest();

    @TempDir
    Path directory;

    private CommandsUnderTest commands;

    @BeforeEach
    void configure() {
        commands = CommandsUnderTest.on(kafka, directory);
    }

    @Test
    void a_running_system_is_well_and_top_shows_its_parts() throws Exception {
        commands.run("topics", "create").done();
        try (SpillwayProcess running = SpillwayProcess.start(
                directory.resolve("data"), Map.of("SPILLWAY_HANDLER_TYPE", "log"), commands.options())) {
            commands.run("tenants", "set", "acme", "--aged-after", "1h", "--ttl", "30m", "--wait").done();
            commands.run("send", "--tenant", "acme", "--count", "50").done();
            awaitAccepted(50);

            CommandRun doctor = commands.run("doctor", "--output", "json");
            JsonNode found = doctor.json();
            for (String check : List.of("cluster", "kafka version", "permissions", "offsets", "topics", "transactions",
                    "clock", "routers", "workers", "versions", "routing", "hot lane", "late tenants", "dead letters",
                    "ledger")) {
                assertThat(level(found, check)).as(check + " of " + found).isEqualTo("ok");
            }
            assertThat(level(found, "policies")).isEqualTo("warn");
            assertThat(one(found, "policies").get("text").textValue())
                    .contains("acme: agedAfter = 1h has no effect because of ttl = 30m");
            assertThat(found.get("failed").intValue()).isZero();
            assertThat(doctor.exitCode()).isZero();

            JsonNode top = commands.run("top", "--output", "json").done().json();
            assertThat(top.at("/instances/routers").intValue()).isEqualTo(1);
            assertThat(top.at("/instances/workers").intValue()).isEqualTo(1);
            assertThat(top.at("/instances/gateways").intValue()).isEqualTo(1);
            assertThat(top.get("slots").longValue()).isPositive();
            assertThat(top.get("accepted").longValue()).isEqualTo(50);
            assertThat(commands.run("top", "--once").done().outLines())
                    .anyMatch(line -> line.matches("1 router   1 worker \\(\\d+ slots, .*"))
                    .anyMatch(line -> line.matches("ingress +0"))
                    .noneMatch(line -> line.contains("\u001b"));
            assertThat(running.isAlive()).isTrue();
        }
    }

    @Test
    void what_is_missing_is_named_with_what_to_do() throws Exception {
        CommandRun without = commands.run("doctor");
        assertThat(without.exitCode()).isEqualTo(1);
        assertThat(without.outLines()).anyMatch(line -> line.matches("FAIL +topics .*is missing.*"))
                .anyMatch(line -> line.contains("spillway topics check")).anyMatch(line -> line.startsWith("SKIPPED"))
                .last().asString().matches("1 check failed, .*");

        commands.run("topics", "create").done();
        commands.run("send", "--tenant", "acme", "--count", "5").done();
        String id = kafka.prefix() + ".rogue";
        try (Producer<byte[], byte[]> rogue = new KafkaClients(commands.configuration().queue())
                .producer(Map.of("transactional.id", id, "transaction.timeout.ms", "600000"))) {
            rogue.initTransactions();
            rogue.beginTransaction();
            rogue.send(new ProducerRecord<>(commands.topics().ingress(), 0, null, new byte[1])).get();
            CommandRun stopped = commands.run("doctor", "--output", "json");
            JsonNode found = stopped.json();

            assertThat(stopped.exitCode()).isEqualTo(1);
            assertThat(level(found, "topics")).isEqualTo("ok");
            assertThat(level(found, "routers")).isEqualTo("fail");
            assertThat(level(found, "workers")).isEqualTo("fail");
            assertThat(level(found, "routing")).as("items wait").isEqualTo("fail");
            assertThat(level(found, "versions")).isEqualTo("skipped");
            assertThat(level(found, "clock")).as("no instance publishes").isEqualTo("skipped");
            assertThat(level(found, "transactions")).isEqualTo("warn");
            assertThat(one(found, "transactions").get("remedy").textValue())
                    .contains("spillway transactions abort --topic " + commands.topics().ingress() + " --partition 0");
            rogue.abortTransaction();
        }
    }

    @Test
    void neither_command_writes_a_record_or_commits_an_offset() throws Exception {
        commands.run("topics", "create").done();
        commands.run("send", "--tenant", "acme", "--count", "5").done();
        Map<TopicPartition, Long> before = ends();

        assertThat(commands.run("doctor").exitCode()).isEqualTo(1);
        commands.run("top", "--once").done();

        assertThat(ends()).isEqualTo(before);
        assertThat(before.values().stream().mapToLong(Long::longValue).sum()).isEqualTo(5);
        assertThat(kafka.admin().listGroups().all().get()).extracting(GroupListing::groupId)
                .noneMatch(group -> group.startsWith(kafka.prefix()));
    }

    private Map<TopicPartition, Long> ends() throws Exception {
        Map<TopicPartition, OffsetSpec> asked = new HashMap<>();
        List<String> names = commands.topics().all().stream().map(TopicSpec::name).toList();
        kafka.admin().describeTopics(names).allTopicNames().get().forEach((name, topic) -> topic.partitions().forEach(
                partition -> asked.put(new TopicPartition(name, partition.partition()), OffsetSpec.latest())));
        Map<TopicPartition, Long> ends = new HashMap<>();
        kafka.admin().listOffsets(asked).all().get().forEach((partition, end) -> ends.put(partition, end.offset()));
        return ends;
    }

    @Test
    void without_a_cluster_only_the_disk_is_checked() {
        Path impatient = CommandsUnderTest.written(
                directory, "kafka:\n  properties:\n    default.api.timeout.ms: 500\n    request.timeout.ms: 500\n");

        CommandRun doctor = CommandRun.of("doctor", "--bootstrap-servers", "127.0.0.1:1", "--config",
                impatient.toString(), "--data", directory.toString(), "--output", "json");

        assertThat(doctor.exitCode()).isEqualTo(1);
        assertThat(level(doctor.json(), "cluster")).isEqualTo("fail");
        assertThat(level(doctor.json(), "disk")).isNotEqualTo("skipped");
        assertThat(doctor.json().get("checks")).hasSize(2);
    }

    @Test
    void in_a_terminal_the_screen_is_redrawn_until_ctrl_c_and_then_as_before() throws Exception {
        assumeTrue(Stream.of("/usr/bin/script", "/bin/script").map(Path::of).anyMatch(Files::exists),
                "script (util-linux) opens a terminal");
        commands.run("topics", "create").done();
        List<String> command = new ArrayList<>(ChildJvm.command());
        command.addAll(List.of("io.spillway.cli.Main", "top"));
        command.addAll(List.of(commands.options()));
        List<String> script = new ArrayList<>(SpillwayProcess.interruptible());
        script.addAll(List.of("script", "--quiet", "--return", "--flush", "--command",
                "stty cols 60 rows 20; exec " + String.join(" ", command), "/dev/null"));
        Process terminal = new ProcessBuilder(script).redirectErrorStream(true).start();
        try {
            StringBuilder shown = new StringBuilder();
            // Two drawings, so that it is live.
            while (shown.indexOf("\u001b[J", shown.indexOf("\u001b[J") + 1) < 0 && terminal.isAlive()) {
                read(terminal.getInputStream(), shown);
            }
            terminal.getOutputStream().write(3);
            terminal.getOutputStream().flush();
            shown.append(new String(terminal.getInputStream().readAllBytes(), StandardCharsets.UTF_8));

            assertThat(terminal.waitFor()).as(shown.toString()).isEqualTo(130);
            assertThat(shown.toString()).contains("\u001b[?1049h\u001b[?25l\u001b[H", "0 routers")
                    .endsWith("\u001b[?25h\u001b[?1049l");
            assertThat(shown.toString().split("\r\n|\u001b\\[H"))
                    .extracting(line -> line.replaceAll("\u001b\\[[^a-zA-Z]*[a-zA-Z]", "").length())
                    .allMatch(length -> length <= 60);
        } finally {
            terminal.destroyForcibly();
        }
    }

    private static void read(InputStream from, StringBuilder to) throws IOException {
        byte[] some = new byte[4_096];
        int count = from.read(some);
        if (count > 0) {
            to.append(new String(some, 0, count, StandardCharsets.UTF_8));
        }
    }

    /** Returns when the ledger has this many items. */
    private void awaitAccepted(long items) {
        while (commands.run("top", "--output", "json").done().json().get("accepted").longValue() < items) {
            Thread.onSpinWait();
        }
    }

    private static JsonNode one(JsonNode found, String check) {
        for (JsonNode each : found.get("checks")) {
            if (each.get("check").textValue().equals(check)) {
                return each;
            }
        }
        throw new AssertionError(check + " is not in " + found);
    }

    private static String level(JsonNode found, String check) {
        return one(found, check).get("level").textValue();
    }
}
