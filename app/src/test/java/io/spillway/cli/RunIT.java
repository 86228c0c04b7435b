package io.spillway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.guarantee.KafkaUnderTest;
import io.spillway.guarantee.SpillwayProcess;
import io.spillway.runtime.Endpoint;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.common.config.ConfigResource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

@Timeout(900) // Against a hang; nothing is measured.
class RunIT {
    private static final Pattern READY = Pattern.compile(
            "spillway ready kafka=(127\\.0\\.0\\.1:\\d+) metrics=(http://127\\.0\\.0\\.1:\\d+)/metrics");
    private static final String EMBEDDED = CommandsUnderTest.SMALL + "kafka:\n  embeddedPort: 0\n";

    @RegisterExtension
    final KafkaUnderTest kafka = new KafkaUnderTest();

    @TempDir
    Path directory;

    @Test
    void without_a_cluster_it_brings_its_own_and_keeps_what_is_in_it() throws Exception {
        Path data = directory.resolve("data");
        String config = CommandsUnderTest.written(directory, EMBEDDED).toString();
        try (SpillwayProcess running = SpillwayProcess.start(data, Map.of(), "--roles", "router", "--config", config)) {
            Matcher ready = READY.matcher(running.readyLine());
            assertThat(ready.matches()).as(running.readyLine()).isTrue();
            String web = ready.group(2);

            assertThat(Endpoint.read(data))
                    .contains(new Endpoint("", ready.group(1), web + "/metrics", running.pid(), true));
            assertThat(get(web + "/livez").statusCode()).isEqualTo(200);
            assertThat(get(web + "/readyz").statusCode()).isEqualTo(200);
            assertThat(get(web + "/metrics").body())
                    .contains(
                            "spillway_routed_total{", "spillway_lane_lag{lane=\"hot\",queue=\"",
                            "kafka_stream_alive_stream_threads", "jvm_memory_used_bytes");
            assertThat(get(web + "/admin").statusCode()).isEqualTo(404);

            assertThat(CommandRun.of("run", "--config", config, "--data", data.toString()).failedWith(1))
                    .contains(data.toString(), "in use", "--data");
            assertThat(Endpoint.read(data)).as("the refused second start keeps the endpoint of the first").isPresent();
            assertThat(CommandRun.of("topics", "check", "--config", config, "--data", data.toString()).done().out())
                    .contains("All topics match the configuration.");
            CommandRun.of("send", "--count", "5", "--config", config, "--data", data.toString()).done();

            assertThat(running.stop()).as("exit status of a requested stop").isZero();
            assertThat(running.furtherOutput()).as("no output after the line about readiness").isEmpty();
            assertThat(data.resolve("endpoint")).doesNotExist();
        }
        try (SpillwayProcess again = SpillwayProcess.start(
                data, Map.of(), "--roles", "router", "--config", config, "--output", "json")) {
            String address = Endpoint.read(data).orElseThrow().kafka();
            assertThat(new CommandRun(0, again.readyLine(), "").json().get("kafka").textValue()).isEqualTo(address);
            try (Admin admin = Admin.create(Map.of("bootstrap.servers", address))) {
                new CommandsUnderTest(address, "spillway", Path.of(config)).awaitRouted(admin);
            }
            assertThat(KafkaUnderTest.readAll(address, "spillway.hot")).hasSize(5);
            again.kill();
        }
        assertThat(Endpoint.read(data)).as("it was killed").isPresent();
        assertThat(CommandRun.of(
                                "topics",
                                "check",
                                "--data",
                                data.toString(),
                                "--config",
                                CommandsUnderTest.written(
                                                directory,
                                                EMBEDDED
                                                        + "  properties:\n"
                                                        + "    default.api.timeout.ms: 500\n"
                                                        + "    request.timeout.ms: 500\n")
                                        .toString())
                        .failedWith(1))
                .contains("does not answer", data.resolve("endpoint").toString(), "spillway run");
    }

    @Test
    void a_port_that_is_taken_is_one_line_that_names_the_setting() throws Exception {
        CommandsUnderTest commands = CommandsUnderTest.on(kafka, directory);
        commands.run("topics", "create").done();
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            int port = taken.getLocalPort();
            CommandsUnderTest metricsThere = new CommandsUnderTest(
                    commands.bootstrapServers(),
                    commands.prefix(),
                    CommandsUnderTest.written(
                            directory.resolve("metrics"),
                            CommandsUnderTest.SMALL.replace("metrics:\n  port: 0", "metrics:\n  port: " + port)));
            assertThat(metricsThere.run("run", "--data", directory.resolve("data").toString()).failedWith(1))
                    .contains("127.0.0.1:" + port, "metrics.port", "Address already in use");
            CommandsUnderTest gatewayThere = new CommandsUnderTest(
                    commands.bootstrapServers(),
                    commands.prefix(),
                    CommandsUnderTest.written(
                            directory.resolve("gateway"),
                            CommandsUnderTest.SMALL.replace("gateway:\n  port: 0", "gateway:\n  port: " + port)));
            assertThat(gatewayThere
                            .run(
                                    "run", "--roles", "gateway", "--data",
                                    directory.resolve("gateway-data").toString())
                            .failedWith(1))
                    .contains("127.0.0.1:" + port, "gateway.port", "Address already in use");

            Path kafkaThere = CommandsUnderTest.written(
                    directory.resolve("kafka"), EMBEDDED.replace("embeddedPort: 0", "embeddedPort: " + port));
            assertThat(CommandRun.of(
                                    "run", "--data", directory.resolve("other").toString(), "--config",
                                    kafkaThere.toString())
                            .failedWith(1))
                    .contains("127.0.0.1:" + port, "another one");
        }
        assertThat(directory.resolve("data/endpoint")).doesNotExist();
        assertThat(CommandRun.of(
                                "run", "--data", Files.writeString(directory.resolve("file"), "").toString())
                        .failedWith(1))
                .contains(directory.resolve("file").toString(), "--data");
    }

    @Test
    void a_data_directory_of_an_earlier_version_keeps_working() throws Exception {
        Path data = directory.resolve("data");
        String config = CommandsUnderTest.written(directory, EMBEDDED).toString();
        try (SpillwayProcess running = SpillwayProcess.start(data, Map.of(), "--roles", "router", "--config", config)) {
            try (Admin admin = Admin.create(
                    Map.of("bootstrap.servers", Endpoint.read(data).orElseThrow().kafka()))) {
                admin.incrementalAlterConfigs(Map.of(
                                new ConfigResource(ConfigResource.Type.TOPIC, "spillway.hot"),
                                List.of(new AlterConfigOp(
                                        new ConfigEntry("segment.ms", "604800000"), AlterConfigOp.OpType.SET))))
                        .all().get();
            }
            assertThat(running.stop()).isZero();
        }
        try (SpillwayProcess again = SpillwayProcess.start(data, Map.of(), "--roles", "router", "--config", config)) {
            assertThat(again.isAlive()).isTrue();
            assertThat(CommandRun.of("topics", "check", "--config", config, "--data", data.toString()).done().out())
                    .contains("All topics match the configuration.");
        }
    }

    @Test
    void topics_that_do_not_fit_are_refused_before_anything_is_read() throws Exception {
        CommandsUnderTest commands = CommandsUnderTest.on(kafka, directory);
        String data = directory.resolve("data").toString();
        assertThat(commands.run("run", "--data", data).failedWith(1))
                .contains("is missing", "spillway topics create", "see: spillway topics check");
        assertThat(kafka.admin().listTopics().names().get()).as("a cluster's topics are made by command")
                .noneMatch(name -> name.startsWith(kafka.prefix()));

        commands.run("topics", "create").done();
        kafka.admin().createPartitions(Map.of(commands.topics().ingress(), NewPartitions.increaseTo(4))).all().get();
        assertThat(commands.run("run", "--data", data).failedWith(1))
                .contains("topic " + commands.topics().ingress(), "4 partitions", "must have 2", "topics.partitions");
        assertThat(commands.run("run", "--data", data).out()).isEmpty();
    }

    @Test
    void a_cluster_that_does_not_answer_is_named() throws IOException {
        Path impatient = CommandsUnderTest.written(directory, CommandsUnderTest.SMALL
                + "kafka:\n  properties:\n    default.api.timeout.ms: 500\n    request.timeout.ms: 500\n");

        assertThat(CommandRun.of(
                                "run", "--bootstrap-servers", "127.0.0.1:1", "--config", impatient.toString(),
                                "--data", directory.resolve("data").toString())
                        .failedWith(1))
                .contains("127.0.0.1:1", "does not answer");
    }

    private static HttpResponse<String> get(String url) throws IOException, InterruptedException {
        try (HttpClient client = HttpClient.newHttpClient()) {
            return client.send(HttpRequest.newBuilder(URI.create(url)).build(), HttpResponse.BodyHandlers.ofString());
        }
    }
}
