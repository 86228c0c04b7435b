package io.spillway.cli.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.cli.CommandRun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TopologyCommandTest {
    @TempDir
    Path directory;

    @Test
    void text_is_the_only_output() {
        CommandRun run = CommandRun.of("topology").done();

        assertThat(run.out()).contains("Sub-topology: 0", "spillway.ingress", "flowchart LR");
        assertThat(run.err()).isEmpty();
    }

    @Test
    void json_is_one_value_on_one_line() {
        CommandRun run = CommandRun.of("topology", "--prefix", "mine", "--output", "json").done();

        assertThat(run.outLines()).hasSize(1);
        assertThat(run.json().get("text").textValue()).contains("mine.ingress");
        assertThat(run.json().get("mermaid").textValue()).startsWith("flowchart LR");
        assertThat(run.err()).isEmpty();
    }

    @Test
    void the_shard_stage_is_included_if_it_is_configured() throws IOException {
        Path file = Files.writeString(directory.resolve("spillway.yml"), "shards:\n  overlap: 1\n");

        CommandRun run = CommandRun.of("topology", "--config", file.toString(), "--output", "json").done();
        assertThat(run.json().get("text").textValue()).contains("spillway.shard-requests", "spillway.shards");
        assertThat(run.json().get("mermaid").textValue())
                .contains(
                        "node-route[route] --> node-shard-request[shard-request]",
                        "node-shard[shard] --> node-shards[shards]");
        assertThat(CommandRun.of("topology").done().out()).doesNotContain("shard");
    }

    @Test
    void the_output_format_is_taken_in_any_case() {
        assertThat(CommandRun.of("topology", "--output", "Json").done().json().has("text")).isTrue();
    }

    @Test
    void files_are_written_to_the_directory_and_named() throws IOException {
        Path docs = directory.resolve("new/docs");
        CommandRun run = CommandRun.of("topology", "--write", docs.toString(), "--output", "json").done();

        assertThat(run.json().get("written")).extracting(file -> file.textValue())
                .containsExactly(docs.resolve("topology.txt").toString(), docs.resolve("topology.mmd").toString());
        assertThat(Files.readString(docs.resolve("topology.txt"))).contains("spillway.ingress");
    }

    @Test
    void a_directory_that_cannot_be_written_is_named() throws IOException {
        Path file = Files.writeString(directory.resolve("file"), "");

        assertThat(CommandRun.of("topology", "--write", file.toString()).failedWith(1))
                .contains("--write", file.toString(), "Choose another directory.");
    }

    @Test
    void the_command_line_wins_over_the_file() throws IOException {
        Path file = Files.writeString(directory.resolve("spillway.yml"), "kafka:\n  prefix: fromfile\n");

        assertThat(CommandRun.of("topology", "--config", file.toString()).done().out()).contains("fromfile.ingress");
        assertThat(CommandRun.of("topology", "--config", file.toString(), "--prefix", "fromline").done().out())
                .contains("fromline.ingress").doesNotContain("fromfile");
    }
}
