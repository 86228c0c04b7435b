package io.spillway.core.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PointInTimeTest {
    private static final long NOW = 1_800_000_000_000L;

    @ParameterizedTest(name = "{0}: {1}, ahead {2}")
    @CsvSource({
        "2h, 1799992800000, 1800007200000",
        "250ms, 1799999999750, 1800000000250",
        "0s, 1800000000000, 1800000000000",
        "1700000000000, 1700000000000, 1700000000000",
        "946684800000, 946684800000, 946684800000",
        "' 0 ', 0, 0",
        "2027-01-15T08:00:00Z, 1800000000000, 1800000000000",
        "2027-01-15T09:00:00+01:00, 1800000000000, 1800000000000",
    })
    void a_duration_counts_back_or_ahead_from_now_and_a_time_is_itself(String text, long back, long ahead) {
        assertThat(PointInTime.parseMillis(text, NOW)).isEqualTo(back);
        assertThat(PointInTime.parseAheadMillis(text, NOW)).isEqualTo(ahead);
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "", "tomorrow", "-2h", "2h ago", "1w", "2027-01-15", "2027-01-15T08:00:00",
        // In seconds, in microseconds, and with more digits than a time can have.
        "1800000000", "1800000000000000", "999999999999999", "0000000000000000",
        // More than 2^63 milliseconds.
        "9999999999999999999d",
    })
    void any_other_text_is_refused_with_what_is_allowed(String text) {
        String allowed = "must be a time such as 2026-11-21T08:00:00Z, epoch milliseconds, or %s such as 2h "
                + "(units: ms, s, m, h, d)";
        assertThatIllegalArgumentException().isThrownBy(() -> PointInTime.parseAheadMillis(text, NOW))
                .withMessage(allowed, "a duration");
        assertThatIllegalArgumentException().isThrownBy(() -> PointInTime.parseMillis(text, NOW))
                .withMessage(allowed, "an age");
    }

    @Test
    void the_longest_duration_is_too_far_ahead_but_an_age_before_all_times() {
        String longest = Long.MAX_VALUE + "ms";
        assertThatIllegalArgumentException().isThrownBy(() -> PointInTime.parseAheadMillis(longest, NOW));
        assertThat(PointInTime.parseMillis(longest, NOW)).isNegative();
    }
}
