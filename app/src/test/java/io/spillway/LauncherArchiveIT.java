package io.spillway;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The launcher with an archive of classes that it has made, on machines and with options of all kinds. */
@Tag("long")
class LauncherArchiveIT {
    @TempDir
    private static Path home;

    private record Run(int exitCode, List<String> out, String err) {}

    @BeforeAll
    static void makeTheArchive() throws Exception {
        Path target = Files.createDirectories(home.resolve("app/target"));
        InstalledLauncher.in(home);
        Files.copy(Path.of("target/spillway.jar"), target.resolve("spillway.jar"));
        Files.createSymbolicLink(target.resolve("lib"), Path.of("target/lib").toAbsolutePath());

        assertThat(run(Map.of("SPILLWAY_ARCHIVE", "make"), "")).isEqualTo(new Run(0, List.of(), ""));
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "", "-XX:ActiveProcessorCount=1", "-XX:MaxRAM=1g", "-XX:MaxRAM=512m", "-XX:MaxRAM=192m", "-XX:MaxRAM=96m",
        "-XX:MaxRAM=512m -XX:ActiveProcessorCount=1 -XX:MaxRAMPercentage=50", "-XX:+UseSerialGC", "-XX:+UseParallelGC",
        "-XX:+UseSerialGC -XX:MaxRAM=512m", "-XX:+UseSerialGC -XX:MaxRAM=96m",
        "-XX:+UseG1GC -XX:MaxRAM=96m", "-XX:+UseParallelGC -XX:MaxRAM=96m", "-XX:+UseZGC", "-XX:+UseZGC -XX:MaxRAM=96m",
        "-XX:+UseShenandoahGC", "-XX:+UseShenandoahGC -XX:MaxRAM=96m", "-Xms8m -Xmx32m", "-XX:-UseCompressedOops",
        "-XX:ObjectAlignmentInBytes=16", "-XX:+UseCompactObjectHeaders"
    })
    void it_starts_with_any_memory_number_of_processors_and_collector(String options) throws Exception {
        Run run = run(Map.of("SPILLWAY_JAVA_OPTS", options), "--version");

        assertThat(run.exitCode()).as(run.toString()).isZero();
        assertThat(run.out()).allMatch(line -> line.startsWith("spillway ")).hasSize(1);
        assertThat(run.err()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "", "-XX:ActiveProcessorCount=1", "-XX:+UseSerialGC", "-XX:+UseParallelGC", "-XX:MaxRAM=192m"
    })
    void it_starts_from_the_archive_where_that_fits(String options) throws Exception {
        Path log = home.resolve("classes.log");

        run(Map.of("SPILLWAY_JAVA_OPTS", options + " -Xlog:class+load:file=" + log), "--version");

        assertThat(Files.readAllLines(log)).anyMatch(
                line -> line.contains(" io.spillway.cli.Main ") && line.contains("source: shared objects file"));
    }

    private static Run run(Map<String, String> environment, String argument) throws IOException, InterruptedException {
        Path out = home.resolve("out");
        Path err = home.resolve("err");
        ProcessBuilder builder = new ProcessBuilder(home.resolve("spillway").toString())
                .redirectOutput(out.toFile()).redirectError(err.toFile());
        if (!argument.isEmpty()) {
            builder.command().add(argument);
        }
        builder.environment().keySet().removeIf(
                name -> name.startsWith("SPILLWAY_") || name.equals("JAVA_TOOL_OPTIONS"));
        builder.environment().put("SPILLWAY_JAVA_HOME", System.getProperty("java.home"));
        builder.environment().putAll(environment);
        int exitCode = builder.start().waitFor();
        return new Run(exitCode, Files.readAllLines(out), Files.readString(err));
    }
}
