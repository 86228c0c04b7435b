package io.spillway.core.policy;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class TenantPolicyTest {
    @Test
    void without_settings_the_defaults_apply() {
        assertThat(TenantPolicy.of(PolicySettings.NONE_SET)).isEqualTo(new TenantPolicy(
                Optional.empty(),
                Optional.empty(),
                Integer.MAX_VALUE,
                300_000,
                Long.MAX_VALUE,
                false,
                60_000,
                5,
                21_600_000,
                1_209_600_000,
                16,
                1,
                1_000,
                300_000,
                Jitter.FULL,
                30_000,
                false,
                1_000,
                600_000,
                1,
                4,
                0,
                BackPressure.SHED,
                3_600_000,
                Long.MAX_VALUE,
                Optional.empty(),
                false,
                Map.of()));
    }

    @Test
    void every_setting_reaches_its_component() {
        PolicySettings settings = PolicySettings.NONE_SET
                .with(PolicyField.RATE, "10")
                .with(PolicyField.BURST, "20")
                .with(PolicyField.CONCURRENCY, "3")
                .with(PolicyField.AGED_AFTER, "4s")
                .with(PolicyField.TTL, "5s")
                .with(PolicyField.SWEEPABLE, "true")
                .with(PolicyField.SWEEP_MARGIN, "19s")
                .with(PolicyField.ATTEMPTS, "6")
                .with(PolicyField.RETRY_FOR, "14s")
                .with(PolicyField.EXPIRE_AFTER, "15s")
                .with(PolicyField.RETRY_TOKENS, "16")
                .with(PolicyField.RETRY_EARNED, "0.25")
                .with(PolicyField.TIMEOUT_MIN, "17ms")
                .with(PolicyField.TIMEOUT_MAX, "18ms")
                .with(PolicyField.BACKOFF_BASE, "7s")
                .with(PolicyField.BACKOFF_CAP, "8s")
                .with(PolicyField.JITTER, "none")
                .with(PolicyField.TIMEOUT, "9s")
                .with(PolicyField.WEIGHT, "2.5")
                .with(PolicyField.SHARD_SIZE, "11")
                .with(PolicyField.DEDICATED, "12")
                .with(PolicyField.BACK_PRESSURE, "accept")
                .with(PolicyField.ADMISSION_RATE, "40")
                .with(PolicyField.ADMISSION_BURST, "41")
                .with(PolicyField.MAX_DRAIN, "42s")
                .with(PolicyField.MAX_DEPTH, "13")
                .with(PolicyField.PAUSED, "true")
                .withWorkload("mail", new WorkloadPolicy(2, 5));
        assertThat(TenantPolicy.of(settings)).isEqualTo(new TenantPolicy(
                Optional.of(RateLimit.of(10, 20)),
                Optional.of(RateLimit.of(40, 41)),
                3,
                4_000,
                5_000,
                true,
                19_000,
                6,
                14_000,
                15_000,
                16,
                0.25,
                7_000,
                8_000,
                Jitter.NONE,
                9_000,
                false,
                17,
                18,
                2.5,
                11,
                12,
                BackPressure.ACCEPT,
                Long.MAX_VALUE,
                13,
                Optional.empty(),
                true,
                Map.of("mail", new WorkloadPolicy(2, 5))));
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
        assertThat(auto.timeoutMinMillis()).isEqualTo(5_000);
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
        assertThat(policy.maxDepth()).isEqualTo(Long.MAX_VALUE);
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
