package io.spillway.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class WrongUsageTest {
    @TempDir
    Path directory;

    @ParameterizedTest(name = "{0}")
    @MethodSource({"wrongCommandLines", "badValues", "badTenants", "badSweeps"})
    void is_exit_code_2_with_one_line_that_names_the_error_and_the_remedy(List<String> arguments, List<String> named) {
        CommandRun run = CommandRun.of(arguments.toArray(String[]::new));

        assertThat(run.failedWith(2)).contains(named);
        assertThat(run.out()).isEmpty();
    }

    static Stream<Arguments> wrongCommandLines() {
        return Stream.of(
                wrong("", "Missing required subcommand", "spillway --help"),
                wrong("fly", "'fly'", "spillway --help"),
                wrong("topics", "Missing required subcommand", "spillway topics --help"),
                wrong("tenants", "Missing required subcommand", "spillway tenants --help"),
                wrong("sweep", "Missing required subcommand", "spillway sweep --help"),
                wrong("topics destroy", "'destroy'", "spillway topics --help"),
                wrong("tenents get acme", "Unknown command: 'tenents'. Did you mean tenants", "spillway --help"),
                wrong("tenants sett acme", "'sett'", "Did you mean", "set", "spillway tenants --help"),
                wrong("send --coun 3", "Unknown option: '--coun'.", "--count?", "spillway send --help"),
                wrong("send --nonsense", "'--nonsense'", "spillway send --help"),
                wrong("send one two", "'one'", "spillway send --help"),
                wrong("send --count", "--count", "spillway send --help"),
                wrong("tenants get", "T", "spillway tenants get --help"),
                wrong("tenants key", "Missing required subcommand", "spillway tenants key --help"),
                wrong("tenants key create", "T", "spillway tenants key create --help"),
                wrong("tenants key create *a", "tenant *a", "must be 1 to 128"),
                wrong("tenants key create acme --expires-in soon", "--expires-in soon", "such as 90d"),
                wrong("tenants key create acme --expires-in 3651d", "--expires-in 3651d", "at most 3650d"),
                wrong("tenants key revoke", "T", "spillway tenants key revoke --help"),
                wrong("tenants set", "T", "spillway tenants set --help"),
                wrong("tenants set acme --rate", "--rate", "spillway tenants set --help"),
                wrong("tenants set acme", "There is nothing to set", "--rate", "--max-depth"),
                wrong("tenants isolate *", "tenant *", "must be one tenant"),
                wrong("tenants isolate acme --partitions 0", "--partitions 0", "1 or more"),
                wrong("tenants release no,tenant", "no,tenant", "must be * or 1 to 128"),
                wrong("explain", "--tenant", "spillway explain --help"),
                wrong("sweep record --tenant acme", "--started-at", "spillway sweep record --help"),
                wrong("cancel", "--tenant", "spillway cancel --help"),
                wrong("cancel --tenant *", "--tenant *", "must be 1 to 128"),
                wrong("cancel --tenant acme --workload a/b", "--workload a/b", "must be 1 to 128"),
                wrong("cancel --tenant acme --before 2999-01-01T00:00:00Z", "--before 2999", "future"),
                wrong("sweep record --tenant acme --started-at 0 --workload a/b", "--workload a/b", "must be 1 to 128"),
                wrong("topology --output xml", "--output", "'xml'", "TEXT", "JSON"),
                wrong("topology --config no-such.yml", "--config", "no-such.yml", "no such file"));
    }

    static Stream<Arguments> badValues() {
        return Stream.of(
                wrong("send --count 0", "--count", "0", "1 or more"),
                wrong("send --count many", "--count", "'many'"),
                wrong("send --rate 0", "--rate", "0", "above 0"),
                wrong("send --rate NaN", "--rate", "NaN", "above 0"),
                wrong("send --rate -5", "--rate", "-5", "above 0"),
                wrong("send --size 1048577", "--size", "1048577", "0 to 1048576"),
                wrong("send --age soon", "--age", "soon", "5m", "units: ms, s, m, h, d"),
                wrong("send --deliver-at soon", "--deliver-at", "soon", "epoch milliseconds, or a duration such as 2h"),
                wrong("send --deliver-at 1795003600", "--deliver-at 1795003600", "epoch milliseconds"),
                wrong("cancel --tenant acme --before 1795003600", "--before 1795003600", "epoch milliseconds"),
                wrong("send --deliver-at 15d", "--deliver-at 15d", "at most 14d ahead"),
                wrong("send --deliver-at 1h --file pom.xml", "--deliver-at", "--file"),
                wrong("send --order-key grün", "--order-key", "1 to 256 printable ASCII"),
                wrong("send --order-key k --file pom.xml", "--order-key", "--file"),
                wrong("send --dedupe", "--dedupe", "needs --id"),
                wrong("send --count 11 --id " + "i".repeat(254), "--id", "1 to 256 printable ASCII"),
                wrong("send --file pom.xml --count 2", "--count", "--file"),
                wrong("send --file no-such-file", "--file", "no-such-file", "- for standard input"),
                wrong("send --file .", "--file", ".", "must be a file"),
                wrong("send --workload a/b", "--workload", "a/b", "without space and !\"'()*,/<>\\`"),
                wrong("demo --seconds 2", "--seconds", "2", "3 to 3600"),
                wrong("run --roles pilot", "--roles", "pilot", "router"),
                wrong("tenants set acme --rate fast", "--rate", "fast", "0.001", "none", "default"),
                wrong("tenants set acme --burst 0", "--burst", "0", "1 to 1000000000", "none"),
                wrong("tenants set acme --sweepable yes", "--sweepable", "yes", "true", "false"),
                wrong("tenants set acme --jitter some", "--jitter", "some", "full", "decorrelated"),
                wrong("tenants set acme --aged-after 5", "--aged-after", "5", "1ms to 365d"),
                wrong("tenants set acme --rate 10 --ttl 1x", "--ttl", "1x", "units: ms, s, m, h, d"),
                wrong("dead-letters replay --rate 0", "--rate", "0", "above 0"),
                wrong("dead-letters replay --rate NaN", "--rate", "NaN", "above 0"),
                wrong("dead-letters list --limit 0", "--limit", "0", "1 to 10000"),
                wrong("dead-letters list --limit 10001", "--limit", "10001", "1 to 10000"),
                wrong("dead-letters list --since yesterday", "--since", "yesterday", "2h"),
                wrong("explain --id a --since 2w", "--since", "2w", "2h", "units: ms, s, m, h, d"),
                wrong("depth --tenant *", "--tenant *", "must be 1 to 128", "(none)"),
                wrong("explain --tenant *", "--tenant *", "must be 1 to 128", "(none)"),
                wrong("tenants set (none) --rate 1", "tenant (none)", "must be * or 1 to 128"),
                wrong("shards --slots 8 --per-tenant 2 --data x", "--data", "spillway shards --help"),
                wrong("explain --tenant acme --since 1h", "--since", "1h", "--id"),
                wrong("dead-letters list --since 1h --until 2h", "--until", "2h", "after --since"),
                wrong("dead-letters list --reason nonsense", "--reason", "nonsense", "malformed", "killed-worker"),
                wrong("dead-letters list --reason Bad!", "--reason", "Bad!", "attempts-used-up"),
                wrong("dead-letters show", "--id", "--at"),
                wrong("dead-letters show --id a --at 0-1", "--id", "--at"),
                wrong("dead-letters show --at first", "--at", "first", "3-1207"),
                wrong("dead-letters discard", "--all", "--tenant"),
                wrong("dead-letters discard --limit 5 --yes", "--all", "--tenant"),
                wrong("dead-letters discard --all --tenant acme", "--all", "--tenant"),
                wrong("topology --prefix a/b", "kafka.prefix", "a/b", "A-Z a-z 0-9 . _ -"));
    }

    static Stream<Arguments> badTenants() {
        return Stream.of(
                        "", "a b", "a/b", "ümlaut", "x".repeat(129), "\u001b[31mred", "two\nlines", "\u202egro.live",
                        "**")
                .flatMap(tenant -> Stream.of(
                        arguments(List.of("send", "--tenant", tenant), allowed("--tenant")),
                        arguments(
                                List.of("sweep", "record", "--tenant", tenant, "--started-at", "0"),
                                allowed("--tenant")),
                        arguments(List.of("dead-letters", "list", "--tenant", tenant), allowed("--tenant")),
                        arguments(List.of("tenants", "get", tenant), allowed("tenant")),
                        arguments(List.of("tenants", "remove", tenant), allowed("tenant")),
                        arguments(List.of("tenants", "key", "create", tenant), allowed("tenant")),
                        arguments(List.of("tenants", "key", "list", tenant), allowed("tenant")),
                        arguments(List.of("tenants", "key", "revoke", tenant), allowed("tenant")),
                        arguments(List.of("tenants", "set", tenant, "--rate", "1"), allowed("tenant"))));
    }

    static Stream<Arguments> badSweeps() {
        String later = Instant.now().plusSeconds(3600).toString();
        String sweep = "sweep record --tenant acme ";
        return Stream.of(
                wrong(
                        sweep + "--started-at 2026-01-01T00:00:00Z --completed-at " + later,
                        "--completed-at",
                        later,
                        "future"),
                wrong(sweep + "--started-at " + later, "--started-at", later, "future"),
                wrong(
                        sweep + "--started-at 2026-01-02T00:00:00Z --completed-at 2026-01-01T00:00:00Z",
                        "--completed-at",
                        "2026-01-01T00:00:00Z",
                        "before",
                        "2026-01-02T00:00:00Z"),
                wrong(sweep + "--started-at yesterday", "--started-at", "yesterday", "epoch milliseconds", "2h"),
                wrong(sweep + "--started-at 2026-01-01T00:00:00", "--started-at", "2026-11-21T08:00:00Z"),
                wrong(
                        sweep + "--started-at +999999999-01-01T00:00:00Z",
                        "--started-at",
                        "999999999",
                        "epoch milliseconds"),
                arguments(
                        List.of("sweep", "record", "--tenant", "acme", "--started-at", "0", "--id", "a\u0007b"),
                        List.of("--id", "a\\u0007b", "printable ASCII")));
    }

    @Test
    void control_characters_of_arguments_are_escaped() {
        assertThat(CommandRun.of("send", "--x\u001b[31m\u0007").failedWith(2)).contains("--x\\u001b[31m\\u0007");
        assertThat(CommandRun.of("fly\u202e\nspillway: done").failedWith(2)).contains("fly\\u202e spillway: done");
        assertThat(CommandRun.of("topology", "--config", "no\u009bfile").failedWith(2)).contains("no\\u009bfile");
    }

    @ParameterizedTest
    @ValueSource(strings = {"topics:\n  partitions: twelve\n", "topics:\n  partitions: 0\n"})
    void a_bad_value_in_the_file_is_named_with_its_key_and_the_allowed_values(String yaml) throws IOException {
        assertThat(CommandRun.of("topology", "--config", written(yaml)).failedWith(2))
                .contains("topics.partitions", yaml.substring(yaml.lastIndexOf(' ') + 1).strip(), "must be");
    }

    @Test
    void an_unknown_key_in_the_file_is_named_with_the_known_keys() throws IOException {
        assertThat(CommandRun.of("topology", "--config", written("topics:\n  partition: 12\n")).failedWith(2))
                .contains("topics.partition", "12", "unknown", "topics.partitions");
    }

    @Test
    void an_invalid_yaml_file_is_named_with_the_line() throws IOException {
        assertThat(CommandRun.of("topology", "--config", written("topics: [\n")).failedWith(2))
                .contains("spillway.yml", "must be one YAML document", "line");
    }

    @Test
    void messages_about_a_file_name_nothing_of_the_parser() throws IOException {
        assertThat(CommandRun.of("simulate", written("name: a\n---\nname: b\n")).failedWith(2))
                .contains("must be one YAML document", "another document begins", "line")
                .doesNotContain("JsonNode", "FAIL_ON");
    }

    @ParameterizedTest
    @MethodSource("commandsThatNeedACluster")
    void an_invalid_address_is_named(List<String> command) {
        assertThat(withMore(command, "--bootstrap-servers", "nonsense").failedWith(2))
                .contains("bootstrap.servers", "nonsense");
    }

    @Test
    void a_property_that_kafka_rejects_is_named_without_secrets() throws IOException {
        String file = written("""
            kafka:
              bootstrapServers: 127.0.0.1:1
              properties:
                security.protocol: SASL_NONSENSE
                sasl.jaas.config: 'org.apache.kafka.common.security.plain.PlainLoginModule required password="hunter2";'
                ssl.keystore.password: hunter2
            """);
        CommandRun run = CommandRun.of("tenants", "list", "--config", file);

        assertThat(run.failedWith(2)).contains("security.protocol", "SASL_NONSENSE").doesNotContain("hunter2");
    }

    @ParameterizedTest
    @MethodSource("commandsThatNeedACluster")
    void without_a_cluster_the_error_names_the_ways_to_get_one(List<String> command) {
        assertThat(withMore(command, "--data", directory.resolve("none").toString()).failedWith(1))
                .contains("spillway run", "--bootstrap-servers", directory.toString());
    }

    @ParameterizedTest
    @MethodSource("commandsThatNeedACluster")
    void a_cluster_that_does_not_answer_is_named_with_the_settings_to_check(List<String> command) throws IOException {
        String impatient =
                written("kafka:\n  properties:\n    default.api.timeout.ms: 300\n    request.timeout.ms: 300\n");

        assertThat(withMore(command, "--config", impatient, "--bootstrap-servers", "127.0.0.1:1").failedWith(1))
                .contains("127.0.0.1:1", "does not answer", "--bootstrap-servers", "kafka.properties");
    }

    @Test
    void the_stale_address_of_a_killed_process_is_named_with_its_file() throws IOException {
        Files.writeString(directory.resolve("endpoint"), "kafka=127.0.0.1:1\nmetrics=\npid=not-a-number\n");
        String impatient =
                written("kafka:\n  properties:\n    default.api.timeout.ms: 300\n    request.timeout.ms: 300\n");

        assertThat(CommandRun.of("tenants", "list", "--config", impatient, "--data", directory.toString())
                        .failedWith(1))
                .contains("127.0.0.1:1", directory.resolve("endpoint").toString(), "spillway run");
    }

    static Stream<List<String>> commandsThatNeedACluster() {
        return Stream.of(
                List.of("topics", "create"),
                List.of("topics", "check"),
                List.of("tenants", "list"),
                List.of("tenants", "get", "acme"),
                List.of("tenants", "set", "acme", "--rate", "1"),
                List.of("tenants", "remove", "acme"),
                List.of("tenants", "key", "create", "acme"),
                List.of("tenants", "key", "list"),
                List.of("tenants", "key", "revoke", "acme"),
                List.of("sweep", "record", "--tenant", "acme", "--started-at", "0"),
                List.of("dead-letters", "list"),
                List.of("dead-letters", "replay"),
                List.of("dead-letters", "discard", "--all"),
                List.of("send"));
    }

    private static CommandRun withMore(List<String> command, String... more) {
        return CommandRun.of(Stream.concat(command.stream(), Stream.of(more)).toArray(String[]::new));
    }

    private String written(String yaml) throws IOException {
        return Files.writeString(directory.resolve("spillway.yml"), yaml).toString();
    }

    private static Arguments wrong(String commandLine, String... named) {
        return arguments(commandLine.isEmpty() ? List.of() : List.of(commandLine.split(" ")), List.of(named));
    }

    private static List<String> allowed(String named) {
        return List.of(named, "must be", "1 to 128 printable ASCII", "without space and !\"'()*,/<>\\`");
    }
}
