package io.spillway.core.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.handler.Receiver;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class TenantPolicyTest {
    @Test
    void without_settings_the_defaults_apply() {
        TenantPolicy policy = TenantPolicy.of(PolicySettings.NONE_SET);
        assertThat(policy.rateLimit()).isEmpty();
        assertThat(policy.admissionLimit()).isEmpty();
        assertThat(policy.growth()).isEmpty();
        assertThat(policy.concurrency()).isEqualTo(Integer.MAX_VALUE);
        assertThat(policy.agedAfterMillis()).isEqualTo(300_000);
        assertThat(policy.ttlMillis()).isEqualTo(Long.MAX_VALUE);
        assertThat(policy.sweepable()).isFalse();
        assertThat(policy.number(PolicyField.RETRY_EARNED)).isEqualTo(1);
        assertThat(policy.jitter()).isEqualTo(Jitter.FULL);
        assertThat(policy.timeoutMillis()).isEqualTo(30_000);
        assertThat(policy.backPressure()).isEqualTo(BackPressure.SHED);
        assertThat(policy.maxDrainMillis()).isEqualTo(3_600_000);
        assertThat(policy.paused()).isFalse();
        assertThat(policy.workloads()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(PolicyField.class)
    void the_value_of_every_field_is_the_one_that_is_set(PolicyField field) {
        String text = switch (field.type()) {
            case NUMBER -> "1.25";
            case COUNT -> "9";
            case DURATION -> "7s";
            case FLAG -> "true";
            case CHOICE -> field == PolicyField.JITTER ? "equal" : "accept";
            case NAME -> "red";
            case URL -> "https://h/{tenant}";
        };
        PolicySettings settings = PolicySettings.NONE_SET.with(field, field == PolicyField.RETRY_EARNED ? "0.5" : text);
        TenantPolicy policy = TenantPolicy.of(settings);

        switch (field.type()) {
            case NUMBER -> assertThat(policy.number(field)).isEqualTo(field == PolicyField.RETRY_EARNED ? 0.5 : 1.25);
            case COUNT -> assertThat(policy.count(field)).isEqualTo(9);
            case DURATION -> assertThat(policy.count(field)).isEqualTo(7_000);
            case FLAG -> assertThat(policy.isOn(field)).isTrue();
            case CHOICE -> assertThat(policy.count(field)).isEqualTo(1);
            case NAME -> assertThat(settings.get(field)).contains("red");
            case URL -> assertThat(policy.receiver()).contains(new Receiver("https://h/{tenant}", Optional.empty()));
        }
        assertThat(policy).isEqualTo(TenantPolicy.of(settings)).hasSameHashCodeAs(TenantPolicy.of(settings))
                .isNotEqualTo(TenantPolicy.of(PolicySettings.NONE_SET));
    }

    @Test
    void a_tenant_has_a_shard_of_its_own_size_and_reserved_partitions() {
        TenantPolicy policy = TenantPolicy.of(
                PolicySettings.NONE_SET.with(PolicyField.SHARD_SIZE, "3").with(PolicyField.DEDICATED, "2"));
        assertThat(policy.shardSize()).isEqualTo(3);
        assertThat(policy.dedicated()).isEqualTo(2);
    }

    @Test
    void a_limit_grows_where_no_rate_is_set_and_a_ceiling_below_the_floor_is_the_floor() {
        PolicySettings growing = PolicySettings.NONE_SET.with(PolicyField.GROWTH, "3");
        assertThat(TenantPolicy.of(growing).growth())
                .contains(new GrowthRule(3, 10, Double.POSITIVE_INFINITY, 1.5, Long.MAX_VALUE));
        assertThat(TenantPolicy.of(growing.with(PolicyField.GROWTH_FLOOR, "20").with(PolicyField.GROWTH_CEILING, "15")
                        .with(PolicyField.GROWTH_PER_DAY, "2").with(PolicyField.BURST, "7")).growth())
                .contains(new GrowthRule(3, 20, 20, 2, 7));
        assertThat(TenantPolicy.of(growing.with(PolicyField.RATE, "5")).growth())
                .as("an explicit rate overrides growth").isEmpty();
        assertThat(TenantPolicy.of(growing).rateLimit()).isEmpty();
    }

    @Test
    void an_automatic_timeout_starts_with_the_default_and_a_maximum_below_the_minimum_is_the_minimum() {
        PolicySettings fixed = PolicySettings.NONE_SET.with(PolicyField.TIMEOUT, "7s")
                .with(PolicyField.TIMEOUT_MIN, "5s").with(PolicyField.TIMEOUT_MAX, "2s");
        assertThat(TenantPolicy.of(fixed).timeoutAuto()).isFalse();
        assertThat(TenantPolicy.of(fixed).timeoutMillis()).isEqualTo(7_000);
        TenantPolicy auto = TenantPolicy.of(fixed.with(PolicyField.TIMEOUT, "auto"));
        assertThat(auto.timeoutAuto()).isTrue();
        assertThat(auto.timeoutMillis()).isEqualTo(30_000);
        assertThat(auto.count(PolicyField.TIMEOUT_MIN)).isEqualTo(5_000);
        assertThat(auto.timeoutMaxMillis()).isEqualTo(5_000);
    }

    @Test
    void none_is_the_value_at_which_a_rule_never_applies() {
        TenantPolicy policy = TenantPolicy.of(PolicySettings.NONE_SET
                .with(PolicyField.AGED_AFTER, "none")
                .with(PolicyField.TTL, "none")
                .with(PolicyField.CONCURRENCY, "none")
                .with(PolicyField.RETRY_FOR, "none")
                .with(PolicyField.EXPIRE_AFTER, "none")
                .with(PolicyField.MAX_DRAIN, "none")
                .with(PolicyField.MAX_DEPTH, "none"));
        assertThat(policy.retryForMillis()).isEqualTo(Long.MAX_VALUE);
        assertThat(policy.expireAfterMillis()).isEqualTo(Long.MAX_VALUE);
        assertThat(policy.agedAfterMillis()).isEqualTo(Long.MAX_VALUE);
        assertThat(policy.ttlMillis()).isEqualTo(Long.MAX_VALUE);
        assertThat(policy.concurrency()).isEqualTo(Integer.MAX_VALUE);
        assertThat(policy.maxDrainMillis()).isEqualTo(Long.MAX_VALUE);
        assertThat(policy.count(PolicyField.MAX_DEPTH)).isEqualTo(Long.MAX_VALUE);
    }

    @ParameterizedTest(name = "rate {0}, burst {1}")
    @CsvSource(nullValues = "-", value = {
        // rate, burst, items at once
        "none, none, -",
        "none, 5, -",
        "10, 5, 5",
        "10, none, 10", // one second of the rate
        "10.1, none, 11",
        "0.001, none, 1",
        "10000000, none, 10000000"
    })
    void a_rate_without_a_burst_has_a_burst_of_one_second(String rate, String burst, Long atOnce) {
        Optional<RateLimit> limit = TenantPolicy.of(PolicySettings.NONE_SET
                        .with(PolicyField.RATE, rate)
                        .with(PolicyField.BURST, burst))
                .rateLimit();
        assertThat(limit.map(l -> l.toleranceNanos() / l.intervalNanos())).isEqualTo(Optional.ofNullable(atOnce));
    }

    @ParameterizedTest
    @EnumSource(Jitter.class)
    void every_jitter_has_a_text_form(Jitter jitter) {
        PolicySettings settings = PolicySettings.NONE_SET.with(PolicyField.JITTER, jitter.name().toLowerCase());
        assertThat(TenantPolicy.of(settings).jitter()).isEqualTo(jitter);
    }

    @ParameterizedTest
    @EnumSource(BackPressure.class)
    void every_back_pressure_has_a_text_form(BackPressure backPressure) {
        PolicySettings settings =
                PolicySettings.NONE_SET.with(PolicyField.BACK_PRESSURE, backPressure.name().toLowerCase());
        assertThat(TenantPolicy.of(settings).backPressure()).isEqualTo(backPressure);
    }
}
