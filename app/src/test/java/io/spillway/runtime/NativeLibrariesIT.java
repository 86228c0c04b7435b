package io.spillway.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.guarantee.SpillwayProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(900) // Against a hang; nothing is measured.
@Tag("long")
class NativeLibrariesIT {
    @TempDir
    Path directory;

    @Test
    void killed_processes_leave_no_native_library_in_the_temporary_directory() throws Exception {
        Path temporary = Files.createDirectory(directory.resolve("tmp"));
        Path data = directory.resolve("data");
        Map<String, String> environment = Map.of(
                "JDK_JAVA_OPTIONS", "-Djava.io.tmpdir=" + temporary,
                "SPILLWAY_KAFKA_EMBEDDEDPORT", "0");
        for (int kill = 0; kill < 2; kill++) {
            try (SpillwayProcess process = SpillwayProcess.start(data, environment)) {
                process.kill();
            }
        }
        assertThat(libraries(temporary)).isEmpty();
        assertThat(libraries(data.resolve("native"))).as("those of the last process").hasSize(1);
    }

    private static List<String> libraries(Path directory) throws Exception {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(file -> file.getFileName().toString()).filter(name -> name.contains("rocksdb")).toList();
        }
    }
}
