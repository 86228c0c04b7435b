package io.spillway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.spillway.guarantee.KafkaUnderTest;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

@Timeout(900) // Against a hang; nothing is measured.
class TenantsApplyIT {
    private static final String NOTHING = "Nothing to do: the stored policies are those of the file.\n";

    @RegisterExtension
    final KafkaUnderTest kafka = new KafkaUnderTest();

    @TempDir
    Path directory;

    @Test
    void a_file_is_applied_once_and_what_is_exported_changes_nothing() throws Exception {
        CommandsUnderTest commands = CommandsUnderTest.on(kafka, directory);
        commands.run("topics", "create").done();
        commands.run("tenants", "set", "bolt", "--rate", "1", "--burst", "5").done();
        commands.run("tenants", "set", "gone", "--rate", "9").done();
        String file = written("""
                tenants:
                  "*": {ttl: 1h}
                  acme: {rate: 100, workloads: {mail: {weight: 2, paused: true}}}
                  bolt: {rate: 2, burst: 5}
                """);
        String changed = """
                + *: ttl=1h
                + acme: rate=100 workload mail: weight=2 concurrency=none paused=true
                ~ bolt: rate (1 -> 2)
                """;

        assertThat(commands.run("tenants", "apply", "-f", file, "--dry-run").done().out())
                .isEqualTo(changed + "Not applied: 2 added, 1 changed, 0 removed.\n");
        assertThat(commands.run("tenants", "list").done().outLines()).hasSize(2);
        CommandRun applied = commands.run("tenants", "apply", "-f", file).done();
        assertThat(applied.out()).isEqualTo(changed + "2 added, 1 changed, 0 removed.\n");
        assertThat(applied.err()).contains("Not in the file: the settings of 1 tenant.", "--prune");
        assertThat(commands.run("tenants", "apply", "-f", file).done().out()).isEqualTo(NOTHING);
        assertThat(commands.run("tenants", "get", "acme").done().out())
                .containsPattern("workload mail +weight=2 concurrency=none paused=true +set for acme");

        CommandRun asked = commands.run("tenants", "apply", "-f", file, "--prune");
        assertThat(asked.exitCode()).isEqualTo(2);
        assertThat(asked.out()).contains("- gone: rate=9\n", "Not applied");
        assertThat(asked.err()).contains("Give --yes to remove the settings of 1 tenant");
        assertThat(commands.run("tenants", "list").done().out()).contains("gone");

        String exported = directory.resolve("exported.yml").toString();
        assertThat(commands.run("tenants", "export", "-f", exported).done().out())
                .isEqualTo("Wrote the settings of 4 tenants to " + exported + ".\n");
        assertThat(commands.run("tenants", "apply", "-f", exported, "--prune").done().out()).isEqualTo(NOTHING);
        assertThat(commands.run("tenants", "export").done().out()).isEqualTo(Files.readString(Path.of(exported)));
        String json = written(commands.run("tenants", "export", "--output", "json").done().out());
        assertThat(commands.run("tenants", "apply", "-f", json, "--prune").done().out())
                .as("JSON is YAML").isEqualTo(NOTHING);

        String bad = written("tenants: {acme: {rate: 1}, bolt: {rate: fast}}");
        assertThat(commands.run("tenants", "apply", "-f", bad, "--prune", "--yes").failedWith(2))
                .contains("policies.yml: tenants.bolt.rate = fast: must be 0.001 to 10000000");
        assertThat(commands.run("tenants", "apply", "-f", exported, "--prune").done().out())
                .as("nothing of it is written").isEqualTo(NOTHING);

        String greedy = written("tenants: {acme: {dedicated: 2}}");
        assertThat(commands.run("tenants", "apply", "-f", greedy).failedWith(1))
                .contains("Nothing is changed: ", "because 1 of 2 partitions must stay shared");
        assertThat(commands.run("tenants", "apply", "-f", exported, "--prune").done().out()).isEqualTo(NOTHING);

        JsonNode pruned = commands.run("tenants", "apply", "-f", written("tenants: {acme: {rate: 100}}"), "--prune",
                "--yes", "--output", "json").done().json();
        assertThat(pruned.toString()).isEqualTo("{\"applied\":true,\"changes\":["
                + "{\"change\":\"removed\",\"fields\":[{\"from\":\"1h\",\"name\":\"ttl\",\"to\":\"unset\"}],"
                + "\"tenant\":\"*\"},"
                + "{\"change\":\"changed\",\"fields\":[{\"from\":\"weight=2 concurrency=none paused=true\","
                + "\"name\":\"workload mail\",\"to\":\"unset\"}],\"tenant\":\"acme\"},"
                + "{\"change\":\"removed\",\"fields\":[{\"from\":\"2\",\"name\":\"rate\",\"to\":\"unset\"},"
                + "{\"from\":\"5\",\"name\":\"burst\",\"to\":\"unset\"}],\"tenant\":\"bolt\"},"
                + "{\"change\":\"removed\",\"fields\":[{\"from\":\"9\",\"name\":\"rate\",\"to\":\"unset\"}],"
                + "\"tenant\":\"gone\"}]}");
        assertThat(commands.run("tenants", "list").done().outLines()).containsExactly("acme  rate=100");

        commands.run("tenants", "isolate", "gone").done();
        assertThat(commands.run("tenants", "apply", "-f", written("tenants: {acme: {rate: 100}}"), "--prune", "--yes")
                        .done()
                        .out())
                .isEqualTo("- gone: dedicated=1\n0 added, 0 changed, 1 removed.\n");
    }

    private String written(String yaml) throws Exception {
        return Files.writeString(directory.resolve("policies.yml"), yaml).toString();
    }
}
