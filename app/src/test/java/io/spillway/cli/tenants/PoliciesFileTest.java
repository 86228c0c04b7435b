package io.spillway.cli.tenants;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.PolicySettings;
import io.spillway.core.policy.Subscription;
import io.spillway.core.policy.WorkloadPolicy;
import io.spillway.core.settings.InvalidSettingException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PoliciesFileTest {
    @TempDir
    Path directory;

    @Test
    void what_is_written_is_read_back_for_every_field_and_for_names_that_yaml_would_change() throws IOException {
        SortedMap<String, PolicyEntry> all = new TreeMap<>();
        PolicySettings every = PolicySettings.DEFAULTS;
        all.put("*", PolicyEntry.of(
                every.with(PolicyField.TIMEOUT, "auto").with(PolicyField.MAX_DEPTH, "4000000000000000000")));
        all.put("123", PolicyEntry.of(
                PolicySettings.NONE_SET.with(PolicyField.RATE, "0.001").with(PolicyField.WEIGHT, "999.125")));
        all.put("null", PolicyEntry.of(PolicySettings.NONE_SET.with(PolicyField.RATE, "9999999.5")));
        all.put("true", PolicyEntry.of(new PolicySettings(Map.of(), Map.of(
                "-", new WorkloadPolicy(0.5, 7, Double.POSITIVE_INFINITY, true), "1e3", WorkloadPolicy.DEFAULT))));
        all.put("---", PolicyEntry.of(PolicySettings.NONE_SET));
        all.put("123/null", PolicyEntry.of(new Subscription("null", "*", PolicySettings.NONE_SET)));
        all.put("123/-", PolicyEntry.of(new Subscription(
                "-", "orders-*", PolicySettings.NONE_SET.with(PolicyField.TIMEOUT, "3s"))));

        assertThat(read(PoliciesFile.yaml(all))).isEqualTo(all);
        assertThat(read(PoliciesFile.yaml(new TreeMap<>()))).isEmpty();
    }

    @Test
    void a_file_is_readable_and_its_values_are_those_of_the_commands() throws IOException {
        SortedMap<String, PolicyEntry> all = read("tenants:\n  acme:\n    rate: 1_000\n    ttl: 1h\n    burst:\n"
                + "    workloads:\n      mail: {weight: 2, concurrency: 5}\n");
        assertThat(PoliciesFile.yaml(all)).isEqualTo("""
                tenants:
                  acme:
                    rate: 1000
                    ttl: 1h
                    workloads:
                      mail:
                        concurrency: 5
                        weight: 2
                """);
    }

    @Test
    void subscriptions_stand_beside_the_tenants_and_get_all_workloads_unless_they_name_some() throws IOException {
        SortedMap<String, PolicyEntry> all = read("tenants: {}\nsubscriptions:\n  acme:\n    billing: {workloads: orders-*,"
                + " attempts: 3}\n    search:\n");
        assertThat(all.keySet()).containsExactly("acme/billing", "acme/search");
        assertThat(PoliciesFile.yaml(all)).isEqualTo("""
                tenants: {}
                subscriptions:
                  acme:
                    billing:
                      attempts: 3
                      workloads: orders-*
                    search:
                      workloads: '*'
                """);
    }

    @Test
    void destinations_stand_beside_the_tenants() throws IOException {
        SortedMap<String, PolicyEntry> all =
                read("tenants: {acme: {destination: crm}}\ndestinations: {crm: {attemptRate: 5}}\n");
        assertThat(all.keySet()).containsExactly("/crm", "acme");
        assertThat(read(PoliciesFile.yaml(all))).isEqualTo(all);
        assertThat(PoliciesFile.yaml(all)).endsWith("""
                destinations:
                  crm:
                    attemptRate: 5
                """);
        assertThat(PolicyEntry.named(all.values().stream())).isEqualTo("the settings of 1 tenant and 1 destination");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "{tenants: {}, destinations: {crm: {weight: 5}}} | destinations.crm.weight = 5: unknown key",
        "{tenants: {}, destinations: {C_M: {}}}          | destinations.C_M = {...}: the name must be 1 to 63 of a-z",
        "[]                                        | must be a map",
        "''                                        | tenants = (absent): must be set",
        "tenants:                                  | tenants = null: must be set",
        "tenant: {}                                | tenant = {...}: unknown key; known here: subscriptions, destinations,",
        "tenants: [a]                              | tenants = [...]: must be a map",
        "tenants: {a b: {}}                        | tenants.a b = {...}: the tenant must be * or 1 to 128 printable",
        "tenants: {a: 5}                           | tenants.a = 5: must be a map",
        "tenants: {a: {rte: 5}}                    | tenants.a.rte = 5: unknown key; known here: rate, burst,",
        "tenants: {a: {rate: fast}}                | tenants.a.rate = fast: must be 0.001 to 10000000, or none",
        "tenants: {a: {rate: 0100}}                | tenants.a.rate = 0100: must be 0.001 to 10000000, or none (without",
        "tenants: {a: {concurrency: 0x1F}}         | tenants.a.concurrency = 0x1F: must be 1 to 100000, or none",
        "tenants: {a: {paused: no}}                | tenants.a.paused = no: must be true or false",
        "tenants: {a: &x {rate: 5}, b: *x}         | must have the value itself instead of an alias (line 1)",
        "tenants: {a: {rate: [5]}}                 | tenants.a.rate = [...]: must be one value",
        "tenants: {a: {ttl: 5}}                    | tenants.a.ttl = 5: must be 1ms to 365d, or none",
        "tenants: {a: {workloads: {m: 5}}}         | tenants.a.workloads.m = 5: must be a map",
        "tenants: {a: {workloads: {'m n': {}}}}    | tenants.a.workloads.m n = {...}: the workload must be 1 to 128",
        "tenants: {a: {workloads: {m: {rate: 5}}}} "
                + "| tenants.a.workloads.m.rate = 5: unknown key; known here: weight, concurrency, attemptRate, paused",
        "{tenants: {}, subscriptions: {a: {m: {rate: 5}}}} | subscriptions.a.m.rate = 5: unknown key",
        "{tenants: {}, subscriptions: {a: {m: {workloads: 'x*y'}}}} | subscriptions.a: workloads = x*y: must be",
        "{tenants: {}, subscriptions: {'*': {}}}   | subscriptions.* = {...}: the tenant must be 1 to 128",
        "subscriptions: {a: {m: {}}}               | tenants = (absent): must be set",
        "tenants: {a: {}, a: {}}                   | (line 1)",
        "tenants: {a: {}                           | (line "
    })
    void an_error_names_the_file_and_the_line_or_the_path(String yaml, String expected) {
        assertThatThrownBy(() -> read(yaml)).isInstanceOf(InvalidSettingException.class)
                .hasMessageStartingWith(directory.resolve("policies.yml") + ": ").hasMessageContaining(expected);
    }

    @Test
    void more_workloads_than_a_policy_can_have_are_refused_with_their_path() {
        String workloads = IntStream.range(0, 101).mapToObj(i -> "w" + i + ": {}").collect(Collectors.joining(", "));
        assertThatThrownBy(() -> read("tenants: {a: {workloads: {" + workloads + "}}}"))
                .isInstanceOf(InvalidSettingException.class)
                .hasMessageContaining("tenants.a: workloads = 101: must be at most 100");
    }

    @Test
    void a_hundred_thousand_tenants_with_settings_fit_into_a_file() throws IOException {
        StringBuilder yaml = new StringBuilder("tenants:\n");
        for (int i = 0; i < 100_000; i++) {
            yaml.append("  customer-").append(i).append(": {rate: 10, concurrency: 5, ttl: 1h}\n");
        }
        assertThat(read(yaml.toString())).hasSize(100_000);
    }

    @Test
    void a_file_that_does_not_exist_is_named() {
        assertThatThrownBy(() -> PoliciesFile.read(directory.resolve("none.yml")))
                .isInstanceOf(InvalidSettingException.class).hasMessageContaining("none.yml: cannot be read");
    }

    private SortedMap<String, PolicyEntry> read(String yaml) throws IOException {
        return PoliciesFile.read(Files.writeString(directory.resolve("policies.yml"), yaml));
    }
}
