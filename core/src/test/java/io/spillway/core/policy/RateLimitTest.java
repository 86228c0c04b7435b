package io.spillway.core.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RateLimitTest {
    @ParameterizedTest
    @CsvSource({
        // rate, burst, interval ns, tolerance ns
        "1, 1, 1_000_000_000, 1_000_000_000",
        "10, 5, 100_000_000, 500_000_000",
        "3, 1, 333_333_333, 333_333_333",
        "0.001, 1, 1_000_000_000_000, 1_000_000_000_000",
        "10_000_000, 1_000_000_000, 100, 100_000_000_000",
        // Bounds: an interval is 1 ns to a year, a tolerance at most a year.
        "1e12, 7, 1, 7",
        "Infinity, 1, 1, 1",
        "1e-12, 1, 31_536_000_000_000_000, 31_536_000_000_000_000",
        "4.9e-324, 1_000, 31_536_000_000_000_000, 31_536_000_000_000_000",
        "1, 31_536_000, 1_000_000_000, 31_536_000_000_000_000",
        "1, 31_536_001, 1_000_000_000, 31_536_000_000_000_000",
        "3, 94_608_000, 333_333_333, 31_535_999_968_464_000",
        "3, 94_608_001, 333_333_333, 31_536_000_000_000_000",
        "1, 9_223_372_036_854_775_807, 1_000_000_000, 31_536_000_000_000_000"
    })
    void a_rate_and_a_burst_become_nanoseconds(String rate, String burst, String interval, String tolerance) {
        assertThat(RateLimit.of(Double.parseDouble(rate.replace("_", "")), number(burst)))
                .isEqualTo(new RateLimit(number(interval), number(tolerance)));
    }

    @Test
    void rounding_costs_less_than_one_percent_at_any_rate_of_a_policy() {
        for (double rate = 0.001; rate <= 10_000_000; rate *= 1.037) {
            assertThat(1e9 / RateLimit.of(rate, 1).intervalNanos()).isCloseTo(rate, Percentage.withPercentage(1));
        }
    }

    @ParameterizedTest
    @CsvSource({"0, 1", "-1, 1", "NaN, 1", "-Infinity, 1", "1, 0", "1, -1"})
    void a_rate_or_a_burst_of_zero_is_rejected(double rate, long burst) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RateLimit.of(rate, burst))
                .withMessageContainingAll("rate " + rate, "burst " + burst, "must be");
    }

    @ParameterizedTest
    @CsvSource({"0, 1", "-5, 5", "2, 1", "1, 31536000000000001", "9223372036854775807, 9223372036854775807"})
    void a_limit_outside_the_arithmetic_range_is_rejected(long interval, long tolerance) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new RateLimit(interval, tolerance))
                .withMessageContainingAll("interval " + interval, "tolerance " + tolerance, "must be");
    }

    private static long number(String text) {
        return Long.parseLong(text.replace("_", ""));
    }
}
