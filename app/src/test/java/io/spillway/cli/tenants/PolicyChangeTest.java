package io.spillway.cli.tenants;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SortedMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PolicyChangeTest {
    @TempDir
    Path directory;

    @ParameterizedTest
    @CsvSource(delimiter = '|', nullValues = "-", value = {
        "{}                     | {}                              | keep  | ''",
        "{a: {rate: 1}}         | {a: {rate: 1}}                  | keep  | ''",
        "{a: {rate: 1}}         | {a: {rate: 1.0}}                | keep  | ''",
        "{}                     | {a: {rate: 1, burst: none}}     | keep  | + a: rate=1 burst=none",
        "{}                     | {a: {}}                         | keep  | + a: nothing set",
        "{a: {rate: 1}}         | {a: {rate: 2}}                  | keep  | ~ a: rate (1 -> 2)",
        "{a: {rate: 1}}         | {a: {ttl: 90s}}                 | keep  | ~ a: rate (1 -> unset), ttl (unset -> 90s)",
        "{a: {rate: 1}}         | {a: {}}                         | keep  | ~ a: rate (1 -> unset)",
        "{a: {paused: true}}    | {a: {paused: false}}            | keep  | ~ a: paused (true -> false)",
        "{a: {timeout: auto}}   | {a: {timeout: 30s}}             | keep  | ~ a: timeout (auto -> 30s)",
        "{a: {rate: 1}}         | {}                              | keep  | ''",
        "{a: {rate: 1}}         | {}                              | prune | - a: rate=1",
        "{'*': {ttl: 1h}}       | {}                              | prune | - *: ttl=1h",
        "{b: {rate: 1}, c: {rate: 1}} | {a: {rate: 1}, c: {rate: 3}} | prune "
                + "| + a: rate=1; - b: rate=1; ~ c: rate (1 -> 3)",
        "{a: {workloads: {m: {weight: 2}}}} | {a: {workloads: {m: {weight: 2}}}} | keep | ''",
        "{a: {workloads: {m: {weight: 2}}}} | {a: {workloads: {m: {weight: 2, concurrency: 5}}}} | keep "
                + "| ~ a: workload m (weight=2 concurrency=none -> weight=2 concurrency=5)",
        "{a: {rate: 1, workloads: {m: {paused: true}}}} | {a: {rate: 1, workloads: {n: {}}}} | keep "
                + "| ~ a: workload m (weight=1 concurrency=none paused=true -> unset)"
                + ", workload n (unset -> weight=1 concurrency=none)"
    })
    void the_difference_of_two_files_names_each_field(String stored, String file, String others, String expected)
            throws IOException {
        assertThat(PolicyChange.between(tenants(stored), tenants(file), others.equals("prune")).stream()
                .map(PolicyChange::line).collect(Collectors.joining("; "))).isEqualTo(expected);
    }

    @Test
    void a_subscription_is_a_change_of_its_own() throws IOException {
        SortedMap<String, PolicyEntry> stored = tenants("{}\nsubscriptions: {a: {m: {attempts: 3}, n: {}}}");
        SortedMap<String, PolicyEntry> file =
                tenants("{}\nsubscriptions: {a: {m: {workloads: x, attempts: 3}, o: {timeout: 5s}}}");
        assertThat(PolicyChange.between(stored, file, true).stream().map(PolicyChange::line)).containsExactly(
                "~ a/m: workloads (* -> x)", "- a/n: workloads=*", "+ a/o: workloads=* timeout=5s");
    }

    private SortedMap<String, PolicyEntry> tenants(String yaml) throws IOException {
        return PoliciesFile.read(Files.writeString(directory.resolve("policies.yml"), "tenants: " + yaml + "\n"));
    }
}
