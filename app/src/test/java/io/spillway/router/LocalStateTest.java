package io.spillway.router;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LocalStateTest {
    private static final long NOW = 1_800_000_000_000L;
    private static final String OWNER = "cluster-1 spillway.router topic-1 topic-2";

    @TempDir
    private Path root;

    private Path directory;
    private LocalState state;

    @BeforeEach
    void create() throws IOException {
        directory = Files.createDirectory(root.resolve("spillway.router"));
        state = new LocalState(directory, OWNER);
    }

    @Test
    void no_state_is_usable() throws IOException {
        assertThat(new LocalState(directory.resolve("absent"), OWNER).unusable(NOW)).isEmpty();
        assertThat(state.unusable(NOW)).isEmpty();
        Files.createDirectories(directory.resolve("1_0"));
        assertThat(state.unusable(NOW)).isEmpty();
    }

    @Test
    void state_is_usable_for_half_an_hour_after_its_last_mark() throws IOException {
        store("1_0");
        state.mark(Set.of("1_0"), NOW - 1);
        state.mark(Set.of("1_0"), NOW);
        assertThat(state.unusable(NOW + LocalState.OLDEST_MILLIS)).isEmpty();
        assertThat(state.unusable(NOW + LocalState.OLDEST_MILLIS + 1)).contains("task 1_0 was left 30 minutes ago");
    }

    @Test
    void a_copy_of_old_state_is_unusable_although_its_files_are_new() throws IOException {
        store("1_0");
        state.mark(Set.of("1_0"), NOW - 2 * LocalState.OLDEST_MILLIS);
        Path copy = copy(directory, root.resolve("copy"), NOW);
        assertThat(new LocalState(copy, OWNER).unusable(NOW)).contains("task 1_0 was left 60 minutes ago");
    }

    @Test
    void a_task_from_an_old_copy_within_current_state_makes_it_unusable() throws IOException {
        store("1_1");
        state.mark(Set.of("1_1"), NOW - 2 * LocalState.OLDEST_MILLIS);
        store("1_0");
        state.mark(Set.of("1_0"), NOW);
        assertThat(state.unusable(NOW)).contains("task 1_1 was left 60 minutes ago");
    }

    @Test
    void idle_state_with_old_files_is_usable_when_its_mark_is_new() throws IOException {
        Path file = store("1_0");
        Files.setLastModifiedTime(file, FileTime.fromMillis(NOW - 100 * LocalState.OLDEST_MILLIS));
        state.mark(Set.of("1_0"), NOW);
        assertThat(state.unusable(NOW)).isEmpty();
    }

    @Test
    void state_of_another_cluster_application_or_topic_is_unusable() throws IOException {
        store("1_0");
        for (String other : List.of(
                "cluster-2 spillway.router topic-1 topic-2", "cluster-1 other.router topic-1 topic-2",
                "cluster-1 spillway.router topic-3 topic-2", "")) {
            new LocalState(directory, other).mark(Set.of("1_0"), NOW);
            assertThat(state.unusable(NOW)).as(other).isPresent();
        }
    }

    @Test
    void state_without_a_mark_or_with_a_damaged_one_is_unusable() throws IOException {
        store("1_0");
        assertThat(state.unusable(NOW)).contains("task 1_0 has no mark of the router that left it");
        for (String damaged : List.of("", OWNER, OWNER + "\nyesterday\n", OWNER + "\n" + NOW + "\nmore\n",
                OWNER + "\n9999999999999999999\n")) {
            Files.writeString(directory.resolve("1_0").resolve(LocalState.FILE), damaged);
            assertThat(state.unusable(NOW)).as(damaged).contains("task 1_0 has a damaged mark");
        }
    }

    @Test
    void state_from_the_future_is_unusable() throws IOException {
        store("1_0");
        state.mark(Set.of("1_0"), NOW + 1_000);
        assertThat(state.unusable(NOW)).isEmpty();
        state.mark(Set.of("1_0"), NOW + 1_001);
        assertThat(state.unusable(NOW)).contains("task 1_0 was left in the future");
    }

    @Test
    void only_the_named_tasks_that_have_a_directory_are_marked() throws IOException {
        store("1_0");
        store("1_1");
        state.mark(Set.of("1_0", "1_2"), NOW);
        assertThat(directory.resolve("1_0").resolve(LocalState.FILE)).exists();
        assertThat(directory.resolve("1_1").resolve(LocalState.FILE)).doesNotExist();
        assertThat(directory.resolve("1_2")).doesNotExist();
    }

    @Test
    void files_outside_the_tasks_do_not_count() throws IOException {
        Files.writeString(directory.resolve("kafka-streams-process-metadata"), "x");
        Files.createDirectories(directory.resolve("global"));
        Files.writeString(directory.resolve("global/x"), "x");
        assertThat(state.unusable(NOW)).isEmpty();
    }

    private Path store(String task) throws IOException {
        Path file = directory.resolve(task + "/rocksdb/timers/000001.sst");
        Files.createDirectories(file.getParent());
        return Files.writeString(file, "x");
    }

    private static Path copy(Path from, Path to, long modifiedMillis) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.toList()) {
                Path copied = Files.copy(file, to.resolve(from.relativize(file).toString()));
                Files.setLastModifiedTime(copied, FileTime.fromMillis(modifiedMillis));
            }
        }
        return to;
    }
}
