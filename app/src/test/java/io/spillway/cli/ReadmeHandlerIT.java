package io.spillway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.InstalledLauncher;
import io.spillway.core.item.Lane;
import io.spillway.guarantee.ChildJvm;
import io.spillway.guarantee.KafkaUnderTest;
import io.spillway.guarantee.SpillwayProcess;
import io.spillway.handler.Delivery;
import io.spillway.handler.Handler;
import io.spillway.handler.Outcome;
import io.spillway.runtime.Endpoint;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Test that the handler in docs/handlers.md compiles and runs with the launcher as that page describes. */
@Timeout(900) // Against a hang; nothing is measured.
class ReadmeHandlerIT {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Path PAGE = ROOT.resolve("docs/handlers.md");
    /** The example, and the commands below it except the start. */
    private static final Pattern EXAMPLE = Pattern.compile(
            "```java\n(package com\\.example;.*?)```.*?```\n(.*?)SPILLWAY_CLASSPATH=", Pattern.DOTALL);
    private static final Pattern TYPE =
            Pattern.compile("```java\n((?:(?!```).)*class EchoType .*?)```", Pattern.DOTALL);
    private static final Pattern CONFIGURATION = Pattern.compile("```yaml\n(handler:\n  type: .*?)```", Pattern.DOTALL);

    @RegisterExtension
    final KafkaUnderTest kafka = new KafkaUnderTest();

    @TempDir
    Path directory;

    private CommandsUnderTest commands;
    private Path launcher;

    /** Installs the built files without sources, because the launcher must not build while Maven does. */
    @BeforeEach
    void install() throws IOException {
        commands = CommandsUnderTest.on(kafka, directory);
        commands.run("topics", "create").done();
        launcher = InstalledLauncher.in(directory);
        Files.createSymbolicLink(
                Files.createDirectories(directory.resolve("app")).resolve("target"), ROOT.resolve("app/target"));
    }

    @Test
    void the_handler_in_the_readme_does_what_it_says() throws Exception {
        Matcher example = EXAMPLE.matcher(Files.readString(PAGE));
        assertThat(example.find()).isTrue();
        Files.writeString(directory.resolve("MailHandler.java"), example.group(1));
        Process compiling = new ProcessBuilder("bash", "-e", "-c", example.group(2))
                .directory(directory.toFile()).redirectErrorStream(true).start();
        assertThat(new String(compiling.getInputStream().readAllBytes())).isEmpty();
        assertThat(compiling.waitFor()).isZero();
        assertThat(directory.resolve("spillway.yml")).content().contains("com.example.MailHandler");
        Path classes = directory.resolve("classes");
        Path items = Files.write(directory.resolve("items.jsonl"), List.of(
                "{\"tenant\":\"acme\",\"id\":\"m-1\",\"payload\":\"hello\"}",
                "{\"tenant\":\"acme\",\"id\":\"m-2\",\"payload\":\" \"}",
                "{\"tenant\":\"acme\",\"id\":\"m-3\",\"payload\":\"later please\"}"));

        try (SpillwayProcess running =
                launch(Map.of("SPILLWAY_CLASSPATH", classes.toString(), "SPILLWAY_HANDLER_TYPE", "class",
                        "SPILLWAY_HANDLER_CLASS", "com.example.MailHandler"))) {
            commands.run("send", "--file", items.toString()).done();
            while (!running.log().contains("mail m-3")) {
                LockSupport.parkNanos(100_000_000);
            }
            assertThat(running.stop()).as("the launcher passes the signal on").isZero();
            assertThat(running.log())
                    .contains("mail m-1 of acme, attempt 1", "mail m-3 of acme, attempt 2")
                    .doesNotContain("mail m-2");
        }
        assertThat(kafka.readAll(commands.topics().lane(Lane.DEAD_LETTER))).singleElement()
                .satisfies(dead -> assertThat(new String(dead.headers().lastHeader("spillway-dead-detail").value(),
                        StandardCharsets.UTF_8)).isEqualTo("an empty mail"));
    }

    @Test
    void the_handler_type_in_the_page_is_found_in_a_jar_and_has_its_settings() throws Exception {
        Matcher example = TYPE.matcher(Files.readString(PAGE));
        assertThat(example.find()).isTrue();
        Path source = Files.writeString(directory.resolve("EchoType.java"), example.group(1));
        Path classes = Files.createDirectories(directory.resolve("types"));
        assertThat(ToolProvider.getSystemJavaCompiler().run(null, null, null, "-proc:none", "-cp",
                System.getProperty("java.class.path"), "-d", classes.toString(), source.toString())).isZero();
        Files.writeString(Files.createDirectories(classes.resolve("META-INF/services"))
                .resolve("io.spillway.handler.HandlerType"), "com.example.EchoType\n");
        Path jar = directory.resolve("echo.jar");
        assertThat(java.util.spi.ToolProvider.findFirst("jar").orElseThrow().run(
                System.out, System.err, "cf", jar.toString(), "-C", classes.toString(), ".")).isZero();

        try (SpillwayProcess running = launch(Map.of(
                "SPILLWAY_CLASSPATH", jar.toString(), "SPILLWAY_HANDLER_TYPE", "echo",
                "SPILLWAY_HANDLER_ECHO_TEXT", "good morning"))) {
            Path items = Files.writeString(
                    directory.resolve("items.jsonl"), "{\"tenant\":\"acme\",\"id\":\"e-1\",\"payload\":\"x\"}");
            commands.run("send", "--file", items.toString()).done();
            while (!running.log().contains("good morning e-1")) {
                LockSupport.parkNanos(100_000_000);
            }
            assertThat(running.stop()).isZero();
        }
    }

    @ParameterizedTest
    @MethodSource("configurations")
    void every_configuration_in_the_page_starts_as_it_is_written(String yaml) throws Exception {
        Path config = Files.writeString(directory.resolve("spillway.yml"), yaml);
        Path data = directory.resolve("data");
        try (SpillwayProcess running = SpillwayProcess.start(data, Map.of(
                "SPILLWAY_KAFKA_EMBEDDEDPORT", "0", "SPILLWAY_HANDLER_PULL_PORT", "0"),
                "--config", config.toString())) {
            if (yaml.contains("type: kafka")) {
                CommandRun.of("send", "--count", "3", "--data", data.toString()).done();
                String bootstrapServers = Endpoint.read(data).orElseThrow().kafka();
                while (KafkaUnderTest.readAll(bootstrapServers, "mails").size() < 3) {
                    LockSupport.parkNanos(100_000_000);
                }
            }
            assertThat(running.stop()).as(running.log()).isZero();
        }
    }

    /** Blocks without a type are a part of another, or need files. */
    static List<String> configurations() throws IOException {
        return CONFIGURATION.matcher(Files.readString(PAGE)).results().map(found -> found.group(1)).toList();
    }

    @Test
    void a_handler_that_cannot_be_had_is_one_line_and_nothing_starts() {
        assertThat(handlerRun("class", "handler:\n  type: class\n  class: com.example.Missing\n").failedWith(2))
                .contains("handler.class = com.example.Missing", "SPILLWAY_CLASSPATH");
        assertThat(handlerRun("throws", "handler:\n  type: class\n  class: " + Throwing.class.getName() + "\n")
                        .failedWith(1))
                .contains("handler.class", "no key");
        assertThat(handlerRun("kafka", "handler:\n  type: kafka\n  kafka:\n    topic: " + kafka.prefix() + "-none\n")
                        .failedWith(1))
                .contains("handler.kafka.topic", "is missing");
        assertThat(handlerRun("own", "handler:\n  type: kafka\n  kafka:\n    topic: " + kafka.prefix() + ".ingress\n")
                        .failedWith(2))
                .contains("handler.kafka.topic", "must not be one of Spillway's topics");
        assertThat(handlerRun("http", "handler:\n  type: http\n").failedWith(2)).contains("handler.http.url");
    }

    /** Cannot be made. */
    public static final class Throwing implements Handler {
        public Throwing() {
            throw new IllegalStateException("no key");
        }

        @Override
        public Outcome handle(Delivery delivery) {
            return Outcome.done();
        }
    }

    private CommandRun handlerRun(String name, String yaml) {
        CommandsUnderTest configured = new CommandsUnderTest(kafka.bootstrapServers(), kafka.prefix(),
                CommandsUnderTest.written(directory.resolve(name), CommandsUnderTest.SMALL + yaml));
        return configured.run("run", "--data", directory.resolve(name + "-data").toString());
    }

    private SpillwayProcess launch(Map<String, String> environment) {
        Map<String, String> all = new HashMap<>(environment);
        all.putAll(Map.of(
                "SPILLWAY_JAVA_HOME", System.getProperty("java.home"),
                "SPILLWAY_JAVA_OPTS", ChildJvm.launcherOptions()));
        return SpillwayProcess.launch(launcher, directory.resolve("data"), all, commands.options());
    }
}
