package io.spillway.router;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StaleStateTest {
    private static final long NOW = 1_800_000_000_000L;

    @TempDir
    private Path directory;

    @Test
    void no_state_is_not_stale() throws IOException {
        assertThat(StaleState.isIn(directory.resolve("absent"), NOW)).isFalse();
        assertThat(StaleState.isIn(directory, NOW)).isFalse();
        Files.createDirectories(directory.resolve("1_0"));
        assertThat(StaleState.isIn(directory, NOW)).isFalse();
    }

    @Test
    void the_newest_file_of_a_task_determines_its_age() throws IOException {
        file("1_0/rocksdb/timers/000001.sst", NOW - 100 * StaleState.OLDEST_MILLIS);
        file("1_0/rocksdb/timers/000002.sst", NOW - StaleState.OLDEST_MILLIS);
        assertThat(StaleState.isIn(directory, NOW)).isFalse();
        assertThat(StaleState.isIn(directory, NOW + 1)).isTrue();
    }

    @Test
    void one_stale_task_is_enough_and_files_outside_the_tasks_do_not_count() throws IOException {
        file("kafka-streams-process-metadata", NOW);
        file("1_0/rocksdb/timers/000001.sst", NOW);
        assertThat(StaleState.isIn(directory, NOW)).isFalse();
        file("1_1/rocksdb/timers/000001.sst", NOW - 2 * StaleState.OLDEST_MILLIS);
        assertThat(StaleState.isIn(directory, NOW)).isTrue();
    }

    private void file(String name, long modifiedMillis) throws IOException {
        Path file = directory.resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, "x");
        Files.setLastModifiedTime(file, FileTime.fromMillis(modifiedMillis));
    }
}
