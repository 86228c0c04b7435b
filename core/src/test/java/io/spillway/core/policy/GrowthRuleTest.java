package io.spillway.core.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GrowthRuleTest {
    @ParameterizedTest(name = "multiple {0}, floor {1}, ceiling {2}, per day {3}, burst {4}: {5}")
    @CsvSource({
        "1.1, 10, 10, 1.01, 1, true", "3, 0.001, Infinity, 1.5, 7, true",
        "1.09, 10, 10, 1.01, 1, false", "NaN, 10, 10, 1.01, 1, false",
        "1.1, 0, 10, 1.01, 1, false", "1.1, NaN, 10, 1.01, 1, false",
        "1.1, 10, 9.9, 1.01, 1, false", "1.1, 10, NaN, 1.01, 1, false",
        "1.1, 10, 10, 1, 1, false", "1.1, 10, 10, NaN, 1, false",
        "1.1, 10, 10, 1.01, 0, false",
    })
    void a_rule_that_could_not_grow_is_refused(
            double multiple, double floor, double ceiling, double perDay, long burst, boolean isAllowed) {
        if (isAllowed) {
            assertThat(new GrowthRule(multiple, floor, ceiling, perDay, burst).clamp(0)).isEqualTo(floor);
        } else {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> new GrowthRule(multiple, floor, ceiling, perDay, burst))
                    .withMessageStartingWith("multiple = " + multiple + ", floor = " + floor);
        }
    }

    @Test
    void a_limit_is_from_floor_to_ceiling_with_the_burst_or_one_second_of_it() {
        GrowthRule rule = new GrowthRule(3, 10, 1_000, 1.5, 50);
        assertThat(rule.limit(1)).isEqualTo(RateLimit.of(10, 50));
        assertThat(rule.limit(100)).isEqualTo(RateLimit.of(100, 50));
        assertThat(rule.limit(5_000)).isEqualTo(RateLimit.of(1_000, 50));
        assertThat(new GrowthRule(3, 10, Double.POSITIVE_INFINITY, 1.5, Long.MAX_VALUE).limit(1e12))
                .as("a billion a second at most").isEqualTo(RateLimit.of(1e9, 1_000_000_000));
    }
}
