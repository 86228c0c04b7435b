package io.spillway.core.ratelimit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.spillway.core.policy.GrowthRule;
import io.spillway.core.policy.RateLimit;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Timelines in steps of five minutes. The rule: 3 times the use, 10 to 100,000 items a second, 1.5 times a day. */
class GrowingLimitTest {
    private static final long STEP_MILLIS = 300_000;
    private static final int STEPS_OF_HOUR = 12;
    private static final int STEPS_OF_DAY = 288;
    private static final GrowthRule RULE = new GrowthRule(3, 10, 100_000, 1.5, Long.MAX_VALUE);

    private GrowingLimit state = GrowingLimit.NONE;
    private int overLimit;

    @Test
    void after_weeks_at_a_steady_rate_the_limit_is_its_multiple() {
        run(60 * STEPS_OF_DAY, 5);
        assertThat(state.usePerSecond()).isCloseTo(5, within(0.01));
        assertThat(limit()).isCloseTo(15, within(0.05));
        assertThat(overLimit).isZero();
    }

    /** Bound: in an hour, the use closes 1 − e^(−1/168) of its gap to the limit, which is 2 times the use. */
    @ParameterizedTest
    @CsvSource({"10", "100", "1000", "1000000"})
    void a_spike_of_an_hour_raises_the_limit_by_less_than_a_bound_for_any_height(double factor) {
        state = settledAt(100);
        run(STEPS_OF_HOUR, 100 * factor);
        double bound = 300 * (1 + 2 * -Math.expm1(-1.0 / 168));
        double mostAfter = limit();
        for (int step = 0; step < 3 * STEPS_OF_DAY; step++) {
            run(1, 100);
            mostAfter = Math.max(mostAfter, limit());
        }
        assertThat(bound).as("less than 1.2%").isLessThan(303.6);
        assertThat(mostAfter).as("no rise afterwards").isGreaterThan(300).isLessThanOrEqualTo(bound * 1.0001);
    }

    @Test
    void the_limit_stays_ahead_of_a_growth_of_ten_percent_a_day() {
        state = settledAt(100);
        double rate = 100;
        for (int day = 0; day < 60; day++) {
            for (int step = 0; step < STEPS_OF_DAY; step++) {
                rate *= Math.pow(1.1, 1.0 / STEPS_OF_DAY);
                run(1, rate);
            }
        }
        assertThat(overLimit).isZero();
        assertThat(state.usePerSecond() / rate).as("ratio of measured use to rate")
                .isCloseTo(1 / (1 + 7 * Math.log(1.1)), within(0.01));
    }

    @Test
    void daily_and_weekly_peaks_are_within_the_multiple() {
        state = settledAt(100);
        for (int step = 0; step < 28 * STEPS_OF_DAY; step++) {
            double hour = step % STEPS_OF_DAY / (double) STEPS_OF_HOUR;
            boolean isWeekEnd = step / STEPS_OF_DAY % 7 >= 5;
            run(1, (isWeekEnd ? 30 : 100) * (1 + 0.9 * Math.sin(2 * Math.PI * hour / 24)));
        }
        assertThat(overLimit).isZero();
    }

    @Test
    void a_permanent_tenfold_use_is_granted_in_about_a_week() {
        state = settledAt(100);
        int steps = 0;
        while (limit() < 1_000 && steps < 30 * STEPS_OF_DAY) {
            run(1, 1_000);
            steps++;
        }
        assertThat(steps / (double) STEPS_OF_DAY).as("ln(10/3)/(2/7) days")
                .isCloseTo(7 * Math.log(10 / 3.0) / 2, within(0.1));
    }

    @Test
    void the_limit_never_grows_faster_than_the_growth_per_day() {
        GrowthRule steep = new GrowthRule(50, 10, 100_000, 1.5, Long.MAX_VALUE);
        state = GrowingLimit.NONE;
        for (int step = 0; step < STEPS_OF_DAY; step++) {
            state = state.after(1_000 * STEP_MILLIS / 1_000, STEP_MILLIS, Optional.of(steep));
        }
        assertThat(state.inForce(steep)).as("new tenant, from the floor").isBetween(14.0, 15.0);
    }

    @Test
    void the_limit_stays_between_floor_and_ceiling_and_shrinks_with_the_use() {
        run(1, 0);
        assertThat(limit()).as("new").isEqualTo(10);
        state = settledAt(90_000);
        assertThat(limit()).isEqualTo(100_000);
        run(7 * STEPS_OF_DAY, 0);
        assertThat(state.usePerSecond()).isCloseTo(90_000 / Math.E, within(10.0));
        run(100 * STEPS_OF_DAY, 0);
        assertThat(limit()).isEqualTo(10);
    }

    @Test
    void a_tenant_older_than_the_rule_starts_from_its_use() {
        for (int step = 0; step < 60 * STEPS_OF_DAY; step++) {
            state = state.after(500 * STEP_MILLIS / 1_000, STEP_MILLIS, Optional.empty());
        }
        assertThat(state.limitPerSecond()).isZero();
        assertThat(limit()).isCloseTo(1_500, within(1.0));
        run(1, 500);
        assertThat(state.limitPerSecond()).isCloseTo(1_500, within(1.0));
    }

    @Test
    void the_interval_length_has_little_effect() {
        GrowingLimit inOne = settledAt(100).after(86_400_000L / 1_000 * 150, 86_400_000, Optional.of(RULE));
        state = settledAt(100);
        run(STEPS_OF_DAY, 150);
        assertThat(state.usePerSecond()).isCloseTo(inOne.usePerSecond(), within(1e-6));
        assertThat(state.limitPerSecond()).isCloseTo(inOne.limitPerSecond(), within(1e-6));
    }

    @Test
    void the_limit_has_the_burst_of_the_policy_or_of_one_second() {
        assertThat(RULE.limit(25.5)).isEqualTo(RateLimit.of(25.5, 26));
        assertThat(RULE.limit(1)).isEqualTo(RateLimit.of(10, 10));
        assertThat(new GrowthRule(3, 10, 20, 1.5, 7).limit(1e6)).isEqualTo(RateLimit.of(20, 7));
    }

    @ParameterizedTest
    @CsvSource({"1, 10, 20, 1.5, 1", "NaN, 10, 20, 1.5, 1", "3, 0, 20, 1.5, 1", "3, 10, 9, 1.5, 1", "3, 10, 20, 1, 1",
            "3, 10, 20, 1.5, 0"})
    void a_rule_out_of_range_is_rejected(double multiple, double floor, double ceiling, double perDay, long burst) {
        assertThatThrownBy(() -> new GrowthRule(multiple, floor, ceiling, perDay, burst))
                .isInstanceOf(IllegalArgumentException.class);
    }

    private double limit() {
        return state.inForce(RULE);
    }

    private static GrowingLimit settledAt(double perSecond) {
        return new GrowingLimit(perSecond, Math.min(100_000, 3 * perSecond));
    }

    private void run(int steps, double perSecond) {
        for (int step = 0; step < steps; step++) {
            overLimit += perSecond > limit() ? 1 : 0;
            state = state.after(Math.round(perSecond * STEP_MILLIS / 1_000), STEP_MILLIS, Optional.of(RULE));
        }
    }
}
