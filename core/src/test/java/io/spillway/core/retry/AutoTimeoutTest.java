package io.spillway.core.retry;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AutoTimeoutTest {
    @ParameterizedTest(name = "{0} samples, p50 {1}, p99.9 {2}, fixed {3}, within {4} and {5}: {6}")
    @CsvSource({
        // Too few samples: the fixed timeout, within the bounds.
        "0, 0, 0, 30000, 1000, 600000, 30000",
        "299, 20, 25, 30000, 1000, 600000, 30000",
        "299, 20, 25, 30000, 40000, 600000, 40000",
        "299, 20, 25, 30000, 1000, 5000, 5000",
        // The p99.9 is extrapolated below 1,000 samples, up to the fixed timeout.
        "300, 20, 25, 30000, 1, 600000, 84",
        "500, 20, 35, 30000, 1, 600000, 70",
        "300, 2000, 15000, 30000, 1, 600000, 30000",
        "300, 2000, 45000, 30000, 1, 600000, 45000",
        // The p99.9, at least three times the p50.
        "1000, 20, 25, 30000, 1, 600000, 60",
        "8192, 20, 60, 30000, 1, 600000, 60",
        "8192, 20, 61.2, 30000, 1, 600000, 62",
        "8192, 20, 5000, 30000, 1, 600000, 5000",
        "8192, 25000, 40000, 30000, 1, 600000, 75000",
        // The bounds of the policy.
        "8192, 20, 60, 30000, 1000, 600000, 1000",
        "8192, 20, 60000, 30000, 1000, 10000, 10000",
        "8192, 0.1, 0.2, 30000, 1, 10000, 1",
        "8192, 20, 60, 30000, 10000, 5000, 5000"})
    void theTimeoutFollowsFromPercentilesCountAndPolicy(
            double samples, double p50, double p999, long fixed, long min, long max, long expected) {
        assertThat(AutoTimeout.millis(samples, p50, p999, fixed, min, max)).isEqualTo(expected);
    }
}
