package io.spillway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.cli.CommandRun;
import io.spillway.embedded.EmbeddedKafka;
import io.spillway.embedded.EmbeddedKafkaException;
import io.spillway.guarantee.ChildJvm;
import io.spillway.guarantee.SpillwayProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Names of directories with all characters that a file system allows, in a process without a locale. */
@Timeout(900) // Against a hang; nothing is measured.
class PathsIT {
    private static final Path TARGET = Path.of("target").toAbsolutePath();
    /** Without =, which env takes for a variable. */
    private static final String ANY = "-a b#c%41d\n'\"*?[x]$HOME&;\u00fc\u2013(\u00e9)~`!{}|<>\\ @^+\t\n";

    @TempDir
    Path directory;

    @Test
    void installation_data_configuration_and_handler_can_be_anywhere() throws Exception {
        Path home = Files.createDirectories(directory.resolve(ANY));
        Path launcher = InstalledLauncher.in(home);
        Path target = Files.createDirectories(home.resolve("app/target"));
        // The path of a class path is that of the link.
        Files.createSymbolicLink(target.resolve("spillway.jar"), TARGET.resolve("spillway.jar"));
        Files.createSymbolicLink(target.resolve("lib"), TARGET.resolve("lib"));
        Path classes = compiled(home.resolve(ANY));
        Path data = home.resolve("data" + ANY);
        Path state = home.resolve("state" + ANY.strip());
        Path config = Files.writeString(home.resolve(ANY + ".yml"), "kafka:\n  embeddedPort: 0\nrouter:\n  stateDir: "
                + yaml(state) + "\nhandler:\n  type: class\n  class: Touch\n");
        Map<String, String> environment = new HashMap<>(Map.of(
                "LC_ALL", "C", "SPILLWAY_CLASSPATH", classes.toString(), "SPILLWAY_JAVA_HOME",
                System.getProperty("java.home"), "SPILLWAY_JAVA_OPTS", ChildJvm.launcherOptions()));

        try (SpillwayProcess running = SpillwayProcess.launch(
                launcher, data, environment, "--config", config.toString())) {
            CommandRun.of("send", "--data", data.toString(), "--config", config.toString()).done();
            while (!running.log().contains("touched")) {
                LockSupport.parkNanos(50_000_000);
            }
            assertThat(running.stop()).as(running.log()).isZero();
        }
        assertThat(data.resolve("kafka/spillway.hot-0")).isDirectory();
        assertThat(state).isNotEmptyDirectory();
    }

    @Test
    void a_directory_that_kafka_cannot_read_is_refused_with_the_character() {
        for (String name : new String[] {"a,b", "a "}) {
            Path data = directory.resolve(name);
            assertThatThrownBy(() -> EmbeddedKafka.start(data, 0)).isInstanceOf(EmbeddedKafkaException.class)
                    .hasMessageContaining(name).hasMessageContaining("a comma in its name, or a space at its end");
            assertThat(data).isEmptyDirectory();
        }
    }

    @Test
    void options_take_names_that_begin_with_a_dash_or_an_at() throws IOException {
        Files.writeString(directory.resolve("at"), "--version");
        String tenant = "@" + directory.resolve("at");
        assertThat(CommandRun.of("send", "--tenant", tenant).failedWith(2)).contains("--tenant", "must be");
        assertThat(CommandRun.of("topics", "check", "--config", "-none.yml").failedWith(2)).contains("-none.yml");
    }

    @Test
    void a_setting_that_is_no_name_of_a_file_is_refused_with_the_character() throws IOException {
        assertThat(runWithStateDir("a\\0b")).contains("a\\u0000b", "Nul character");
        assertThat(runWithStateDir("a\\n")).contains("router.stateDir = a\\u000a", "white space");
    }

    private String runWithStateDir(String name) throws IOException {
        Path config = Files.writeString(directory.resolve("c.yml"), "router:\n  stateDir: \"" + name + "\"\n");
        return CommandRun.of("run", "--data", directory.resolve("data").toString(), "--config", config.toString())
                .failedWith(2);
    }

    private static Path compiled(Path classes) throws IOException {
        Files.createDirectories(classes);
        Path source = Files.writeString(classes.resolve("Touch.java"), """
                public final class Touch implements io.spillway.handler.Handler {
                    @Override
                    public io.spillway.handler.Outcome handle(io.spillway.handler.Delivery delivery) {
                        System.err.println("touched");
                        return io.spillway.handler.Outcome.done();
                    }
                }
                """);
        assertThat(ToolProvider.getSystemJavaCompiler().run(null, null, null, "-proc:none", "-cp",
                System.getProperty("java.class.path"), "-d", classes.toString(), source.toString())).isZero();
        return classes;
    }

    private static String yaml(Path path) {
        return "\"" + path.toString().replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n")
                .replace("\t", "\\t") + "\"";
    }
}
