package io.spillway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.guarantee.ChildJvm;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The run from which the launcher makes its archive of classes. */
class TrainingIT {
    @TempDir
    private Path directory;

    @Test
    void it_runs_a_system_and_the_commands_that_read_and_then_ends() throws Exception {
        List<String> command = new ArrayList<>(ChildJvm.command());
        command.addAll(List.of(Training.class.getName(), "data"));
        Path out = directory.resolve("out");
        ProcessBuilder builder = new ProcessBuilder(command).directory(directory.toFile())
                .redirectOutput(out.toFile()).redirectError(directory.resolve("log").toFile());
        builder.environment().keySet().removeIf(name -> name.startsWith("SPILLWAY_"));
        builder.environment().putAll(Map.of("SPILLWAY_METRICS_PORT", "0", "SPILLWAY_GATEWAY_PORT", "0",
                "SPILLWAY_KAFKA_EMBEDDEDPORT", "0"));

        assertThat(builder.start().waitFor()).isZero();

        assertThat(Files.readString(out)).contains("spillway ready", "Sent 5,000 items", "training: rate=10",
                "lane      waiting", "accepted       5000", "Policy in force", "There are no dead letters.");
    }
}
