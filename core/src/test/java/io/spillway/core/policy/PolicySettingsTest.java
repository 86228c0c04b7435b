package io.spillway.core.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.EnumMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PolicySettingsTest {
    private static final PolicySettings TENANT =
            PolicySettings.NONE_SET.with(PolicyField.RATE, "100").with(PolicyField.TTL, "none");
    private static final PolicySettings ALL = PolicySettings.NONE_SET
            .with(PolicyField.RATE, "7")
            .with(PolicyField.BURST, "50")
            .with(PolicyField.TTL, "1h");

    @Test
    void the_product_defaults_are_the_documented_ones() {
        Map<PolicyField, String> contract = new EnumMap<>(PolicyField.class);
        contract.put(PolicyField.RATE, "none");
        contract.put(PolicyField.BURST, "none");
        contract.put(PolicyField.ADMISSION_RATE, "none");
        contract.put(PolicyField.ADMISSION_BURST, "none");
        contract.put(PolicyField.CONCURRENCY, "none");
        contract.put(PolicyField.ATTEMPT_RATE, "none");
        contract.put(PolicyField.AGED_AFTER, "5m");
        contract.put(PolicyField.TTL, "none");
        contract.put(PolicyField.SWEEPABLE, "false");
        contract.put(PolicyField.SWEEP_MARGIN, "1m");
        contract.put(PolicyField.ATTEMPTS, "5");
        contract.put(PolicyField.RETRY_FOR, "6h");
        contract.put(PolicyField.EXPIRE_AFTER, "14d");
        contract.put(PolicyField.RETRY_TOKENS, "16");
        contract.put(PolicyField.RETRY_EARNED, "1");
        contract.put(PolicyField.BACKOFF_BASE, "1s");
        contract.put(PolicyField.BACKOFF_CAP, "5m");
        contract.put(PolicyField.JITTER, "full");
        contract.put(PolicyField.TIMEOUT, "30s");
        contract.put(PolicyField.TIMEOUT_MIN, "1s");
        contract.put(PolicyField.TIMEOUT_MAX, "10m");
        contract.put(PolicyField.WEIGHT, "1");
        contract.put(PolicyField.SHARD_SIZE, "4");
        contract.put(PolicyField.DEDICATED, "0");
        contract.put(PolicyField.POOL, "shared");
        contract.put(PolicyField.MOVE_BACKLOG, "false");
        contract.put(PolicyField.BACK_PRESSURE, "shed");
        contract.put(PolicyField.MAX_DRAIN, "1h");
        contract.put(PolicyField.MAX_DEPTH, "none");
        contract.put(PolicyField.GROWTH, "none");
        contract.put(PolicyField.GROWTH_FLOOR, "10");
        contract.put(PolicyField.GROWTH_CEILING, "none");
        contract.put(PolicyField.GROWTH_PER_DAY, "1.5");
        contract.put(PolicyField.PAUSED, "false");
        contract.put(PolicyField.PAUSE_WHEN_DOWN, "false");
        contract.put(PolicyField.DONE_WITHIN, "none");
        contract.put(PolicyField.TRACKED, "false");
        contract.put(PolicyField.URL, "none");
        contract.put(PolicyField.SIGNING_KEY, "none");
        contract.put(PolicyField.DESTINATION, "none");
        contract.put(PolicyField.ORDER_HOLD, "0ms");
        contract.put(PolicyField.DEDUPE_WINDOW, "1d");
        Map<PolicyField, String> written = new EnumMap<>(PolicyField.class);
        PolicySettings.DEFAULTS.values().forEach((field, value) -> written.put(field, field.format(value)));
        assertThat(written).isEqualTo(contract);
    }

    @Test
    void a_layer_overrides_the_layer_below() {
        PolicySettings both = TENANT.over(ALL);
        assertThat(both.get(PolicyField.RATE)).contains(100.0);
        assertThat(both.get(PolicyField.BURST)).contains(50L);
        assertThat(both.get(PolicyField.TTL)).as("none is a value and overrides an hour").contains(PolicyField.NONE);
        assertThat(both.get(PolicyField.WEIGHT)).isEmpty();
    }

    @Test
    void json_has_null_for_none_and_the_word_for_auto() {
        assertThat(TENANT.with(PolicyField.TIMEOUT, "auto").with(PolicyField.RETRY_FOR, "1h").json())
                .containsEntry("ratePerSecond", 100.0)
                .containsEntry("ttlMillis", null)
                .containsEntry("timeoutMillis", "auto")
                .containsEntry("retryForMillis", 3_600_000L);
    }

    @Test
    void one_line_has_the_fields_in_their_order_and_then_the_workloads_as_they_are_set() {
        assertThat(ALL.with(PolicyField.AGED_AFTER, "none")
                        .withWorkload("mail", new WorkloadPolicy(0.5, 7, Double.POSITIVE_INFINITY, true))
                        .withWorkload("export", new WorkloadPolicy(2, Integer.MAX_VALUE)).inOneLine())
                .isEqualTo("rate=7 burst=50 agedAfter=none ttl=1h workload export: weight=2 concurrency=none "
                        + "workload mail: weight=0.5 concurrency=7 paused=true");
        assertThat(PolicySettings.NONE_SET.inOneLine()).isEqualTo("nothing set");
    }

    @Test
    void merging_does_not_change_the_layers() {
        PolicySettings before = new PolicySettings(ALL.values());
        TENANT.over(ALL);
        ALL.with(PolicyField.RATE, "8");
        ALL.without(PolicyField.RATE);
        assertThat(ALL).isEqualTo(before);
        assertThat(ALL.over(PolicySettings.NONE_SET)).isEqualTo(ALL);
        assertThat(PolicySettings.NONE_SET.over(ALL)).isEqualTo(ALL);
        assertThatExceptionOfType(UnsupportedOperationException.class)
                .isThrownBy(() -> ALL.values().put(PolicyField.RATE, 1.0));
    }

    @Test
    void the_given_map_is_copied() {
        Map<PolicyField, Object> values = new EnumMap<>(PolicyField.class);
        values.put(PolicyField.RATE, 1.0);
        PolicySettings settings = new PolicySettings(values);
        values.put(PolicyField.RATE, 2.0);
        assertThat(settings.get(PolicyField.RATE)).contains(1.0);
    }

    @Test
    void a_removed_field_comes_from_the_layer_below() {
        assertThat(TENANT.without(PolicyField.RATE).over(ALL).get(PolicyField.RATE)).contains(7.0);
        assertThat(TENANT.without(PolicyField.WEIGHT)).isEqualTo(TENANT);
    }

    @Test
    void an_invalid_stored_value_is_rejected_with_its_key() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new PolicySettings(Map.of(PolicyField.ATTEMPTS, -1L)))
                .withMessage("attempts = -1: must be 1 to 1000");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new PolicySettings(Map.of(PolicyField.JITTER, "some\nthing")))
                .withMessage("jitter = some\\u000athing: must be full, equal, decorrelated, none");
    }

    @Test
    void limits_of_workloads_are_looked_up_by_name_in_each_layer() {
        PolicySettings all = ALL.withWorkload("mail", new WorkloadPolicy(3, 1))
                .withWorkload("export", new WorkloadPolicy(0.5, 7));
        PolicySettings own = TENANT.withWorkload("mail", new WorkloadPolicy(2, 5));
        TenantPolicy policy = TenantPolicy.of(own.over(all));
        assertThat(policy.workload("mail")).isEqualTo(new WorkloadPolicy(2, 5));
        assertThat(policy.workload("export")).isEqualTo(new WorkloadPolicy(0.5, 7));
        assertThat(policy.workload("other")).isEqualTo(WorkloadPolicy.DEFAULT);
        assertThat(own.withoutWorkload("mail")).isEqualTo(TENANT);
        assertThat(TenantPolicy.of(own.withWorkload("mail", WorkloadPolicy.DEFAULT).over(all)).workload("mail"))
                .as("set explicitly").isEqualTo(WorkloadPolicy.DEFAULT);
        assertThat(own.json()).containsEntry(
                "workloads", Map.of("mail", Map.of("weight", 2.0, "concurrency", 5L, "paused", false)));
    }

    @Test
    void at_most_100_workloads_have_limits_and_the_own_ones_come_first() {
        PolicySettings own = TENANT;
        PolicySettings below = ALL;
        for (int i = 0; i < TenantPolicy.MAX_WORKLOADS; i++) {
            own = own.withWorkload("own" + i, new WorkloadPolicy(2, 5));
            below = below.withWorkload("all" + i, new WorkloadPolicy(3, 6));
        }
        PolicySettings full = own;
        assertThatIllegalArgumentException()
                .isThrownBy(() -> full.withWorkload("one-more", new WorkloadPolicy(2, 5)))
                .withMessage("workloads = 101: must be at most 100");
        assertThat(own.over(below).workloads()).hasSize(100).allSatisfy((name, limits) ->
                assertThat(name).startsWith("own"));
    }

    @ParameterizedTest
    @CsvSource({"0, 5, weight = 0.0", "1001, 5, weight = 1001.0", "1, 0, concurrency = 0"})
    void a_limit_of_a_workload_has_the_range_of_the_tenants(double weight, int concurrency, String message) {
        assertThatIllegalArgumentException().isThrownBy(() -> new WorkloadPolicy(weight, concurrency))
                .withMessageStartingWith(message + ": must be ");
    }
}
