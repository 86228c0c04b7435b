package io.spillway.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.cli.terminal.CommandFailure;
import io.spillway.config.Configuration;
import io.spillway.config.ConfigurationLoader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DataDirectoryTest {
    private static final Configuration CONFIGURED = ConfigurationLoader.load(Optional.empty(), Map.of(), Map.of());

    @TempDir
    Path directory;

    @Test
    void is_created_if_missing_and_used_by_one_process_at_a_time() {
        Path missing = directory.resolve("a/b");
        try (DataDirectory first = DataDirectory.open(missing)) {
            assertThat(first.path()).isDirectory();
            assertThatThrownBy(() -> DataDirectory.open(missing))
                    .isInstanceOf(CommandFailure.class)
                    .hasMessageContaining(missing.toString())
                    .hasMessageContaining("in use by process " + ProcessHandle.current().pid() + ".")
                    .hasMessageContaining("--data");
        }
        DataDirectory.open(missing).close();
    }

    @Test
    void names_the_remedy_if_it_cannot_be_created() throws IOException {
        Path file = Files.writeString(directory.resolve("file"), "");

        assertThatThrownBy(() -> DataDirectory.open(file.resolve("sub")))
                .isInstanceOf(CommandFailure.class)
                .hasMessageContaining(file.toString())
                .hasMessageContaining("--data");
    }

    @Test
    void keeps_the_instance_id() throws IOException {
        String name;
        try (DataDirectory data = DataDirectory.open(directory)) {
            name = data.instance();
            assertThat(data.instance()).isEqualTo(name).matches("[0-9a-f-]{36}");
        }
        try (DataDirectory again = DataDirectory.open(directory)) {
            assertThat(again.instance()).isEqualTo(name);
        }
        Files.writeString(directory.resolve("instance"), "");
        try (DataDirectory killedWhileWriting = DataDirectory.open(directory)) {
            assertThat(killedWhileWriting.instance()).matches("[0-9a-f-]{36}");
        }
    }

    @Test
    void the_next_start_deletes_the_endpoint_of_a_killed_process() {
        new Endpoint("", "127.0.0.1:1", "", 1, true).write(directory);
        try (DataDirectory data = DataDirectory.open(directory)) {
            assertThat(Endpoint.read(data.path())).isEmpty();
        }
    }

    @Test
    void the_endpoint_is_read_as_written_and_deleted_on_close() {
        Endpoint written =
                new Endpoint("http://127.0.0.1:8080", "127.0.0.1:19092", "http://127.0.0.1:9404/metrics", 42, false);
        try (DataDirectory data = DataDirectory.open(directory)) {
            written.write(data.path());
            assertThat(Endpoint.read(directory)).contains(written);
        }
        assertThat(Endpoint.read(directory)).isEmpty();
    }

    @Test
    void topics_have_one_replica_only_in_an_embedded_kafka() {
        assertThat(new Endpoint("", "h:1", "", 1, true).in(CONFIGURED).topics().replication()).isEqualTo(1);
        assertThat(new Endpoint("", "h:1", "", 1, false).in(CONFIGURED).topics().replication())
                .isEqualTo(CONFIGURED.topics().replication());
        assertThat(new Endpoint("", "h:1", "", 1, false).in(CONFIGURED).kafka().bootstrapServers()).isEqualTo("h:1");
    }
}
