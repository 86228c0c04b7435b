package io.spillway.cli.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.item.ItemState;
import io.spillway.operator.report.QueueReader;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StateFindingsTest {
    private static final double SECONDS = 3;

    @Test
    void a_system_that_is_well_has_only_ok() {
        SystemState state = new States().tenant("acme", 10, 0, 5, 8).state();

        assertThat(of(state, state)).allSatisfy(finding -> {
            assertThat(finding.level()).as(finding.toString()).isEqualTo(Finding.Level.OK);
            assertThat(finding.text()).matches("\\S.*[.]");
        });
    }

    @Test
    void without_routers_and_workers_it_fails_and_versions_are_skipped() {
        SystemState state = new States().readings(States.NONE).state();

        assertThat(one(state, state, "routers")).isEqualTo(Finding.Level.FAIL);
        assertThat(one(state, state, "workers")).isEqualTo(Finding.Level.FAIL);
        assertThat(one(state, state, "versions")).isEqualTo(Finding.Level.SKIPPED);
    }

    /** Lanes of 24 partitions. */
    @ParameterizedTest
    @CsvSource({"24, OK, ''", "25, WARN, Set topics.partitions to 36", "48, WARN, Set topics.partitions to 48"})
    void more_workers_than_partitions_are_a_warning_that_says_how_many_are_enough(
            int workers, Finding.Level expected, String remedy) {
        SystemState state = new States().readings(new QueueReader.Readings(
                0, 0, Map.of(), States.instances(1, workers, 0, 50, 0))).state();

        assertThat(one(state, state, "workers")).isEqualTo(expected);
        assertThat(find(state, state, "workers").remedy()).startsWith(remedy);
    }

    /** Ages of the oldest record in seconds; "-" for one that cannot be read. */
    @ParameterizedTest
    @CsvSource({
        "0, 0, 0, -, OK",
        "50, 50, 40, 0.5, OK",
        "0, 50, 0, 5, OK",
        "50, 50, 0, 0.5, OK",
        "50, 50, 0, 5, FAIL",
        "50, 50, 0, -, FAIL",
        "50, 50, 40, 31, FAIL",
        "50, 50, 40, 29, OK"
    })
    void routing_has_stalled_if_old_items_wait_and_none_is_routed(
            long before, long now, long routed, String oldest, Finding.Level expected) {
        States states = new States().readings(ingress(before, oldest));
        SystemState first = states.tenant("acme", 10, 0, 0, 0).state();
        SystemState last = states.tenant("acme", 10 + routed, 0, 0, 0).readings(ingress(now, oldest)).state();

        assertThat(one(first, last, "routing")).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({"29, OK", "31, FAIL"})
    void old_items_in_hot_fail(long oldestSeconds, Finding.Level expected) {
        SystemState state = new States().tenant("acme", 10, 0, 0, 0)
                .readings(new QueueReader.Readings(
                        0, 0, Map.of("hot", oldestSeconds * 1_000), States.NO_INSTANCES))
                .state();

        assertThat(one(state, state, "hot lane")).isEqualTo(expected);
    }

    @Test
    void late_tenants_are_named() {
        States states = new States();
        for (String tenant : List.of("a", "b", "c", "d", "e")) {
            states.tenant(tenant, 1_000, 0, 0, 1).ttl(tenant, "10s");
        }
        SystemState state = states.state();

        assertThat(find(state, state, "late tenants").text()).contains("5 tenants", "a, b, c, 2 more");
        assertThat(find(state, state, "late tenants").remedy()).endsWith("--tenant a");
        assertThat(one(state, state, "late tenants")).isEqualTo(Finding.Level.WARN);
    }

    @Test
    void dead_letters_are_a_warning_that_says_how_many_are_new() {
        SystemState first = new States().tenant("a", Map.of(ItemState.DEAD_LETTER, 4L), 0, 0).state();
        SystemState last = new States().tenant("a", Map.of(ItemState.DEAD_LETTER, 6L), 0, 0).state();

        assertThat(one(first, first, "dead letters")).isEqualTo(Finding.Level.WARN);
        assertThat(find(first, first, "dead letters").text()).contains("4 dead letters").doesNotContain("new");
        assertThat(find(first, last, "dead letters").text()).contains("6 dead letters", "2 new in 3.0s");
    }

    @ParameterizedTest
    @CsvSource({"100_000, 200_000, OK", "100_001, 100_001, WARN", "200_000, 5, OK"})
    void a_ledger_that_stays_far_behind_is_a_warning(String before, String now, Finding.Level expected) {
        SystemState first = new States().readings(ledger(before)).state();
        SystemState last = new States().readings(ledger(now)).state();

        assertThat(one(first, last, "ledger")).isEqualTo(expected);
    }

    @Test
    void instances_of_several_versions_are_named_by_version() {
        TreeMap<String, String> versions = new TreeMap<>(Map.of("a", "1.0", "b", "1.1", "c", "1.0", "d", ""));

        Finding finding = StateFindings.versions(versions, "1.1");

        assertThat(finding.level()).isEqualTo(Finding.Level.WARN);
        assertThat(finding.text()).contains("1.0 (a, c), 1.1 (b), an unknown version (d)");
    }

    @Test
    void a_command_of_another_version_than_all_instances_is_a_warning() {
        TreeMap<String, String> versions = new TreeMap<>(Map.of("a", "1.0"));

        assertThat(StateFindings.versions(versions, "1.1").level()).isEqualTo(Finding.Level.WARN);
        assertThat(StateFindings.versions(versions, "1.0").level()).isEqualTo(Finding.Level.OK);
    }

    @Test
    void what_is_not_ok_has_a_remedy() {
        SystemState bad = new States().tenant("a", 1_000, 0, 0, 1).ttl("a", "10s")
                .tenant("b", Map.of(ItemState.DEAD_LETTER, 4L), 0, 0)
                .readings(new QueueReader.Readings(
                        50, 1_000_000, Map.of("hot", 60_000L, "ingress", 60_000L), States.NO_INSTANCES))
                .state();

        assertThat(of(bad, bad)).filteredOn(finding -> finding.level() != Finding.Level.SKIPPED).hasSize(7)
                .allSatisfy(finding -> assertThat(finding.remedy()).as(finding.check()).isNotEmpty());
    }

    private static QueueReader.Readings ingress(long waiting, String oldest) {
        Map<String, Long> ages = oldest.equals("-") ? Map.of()
                : Map.of("ingress", (long) (Double.parseDouble(oldest) * 1_000));
        return new QueueReader.Readings(waiting, 0, ages, States.NO_INSTANCES);
    }

    private static QueueReader.Readings ledger(String behind) {
        return new QueueReader.Readings(
                0, Long.parseLong(behind.replace("_", "")), Map.of(), States.NO_INSTANCES);
    }

    private static List<Finding> of(SystemState first, SystemState last) {
        return StateFindings.of(first, last, SECONDS, 24, "1.0");
    }

    private static Finding find(SystemState first, SystemState last, String check) {
        return of(first, last).stream().filter(finding -> finding.check().equals(check)).findFirst().orElseThrow();
    }

    private static Finding.Level one(SystemState first, SystemState last, String check) {
        return find(first, last, check).level();
    }
}
