package io.spillway.core.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.spillway.Seed;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DurationsTest {
    @ParameterizedTest
    @CsvSource({
        "0ms, 0, 0ms",
        "250ms, 250, 250ms",
        "1000ms, 1000, 1s",
        "90s, 90000, 90s",
        "60s, 60000, 1m",
        "5m, 300000, 5m",
        "1h, 3600000, 1h",
        "24h, 86400000, 1d",
        "365d, 31536000000, 365d",
        "007d, 604800000, 7d",
        "' 5m ', 300000, 5m",
        "9223372036854775807ms, 9223372036854775807, 9223372036854775807ms"
    })
    void a_duration_is_a_whole_number_and_a_unit(String text, long millis, String written) {
        assertThat(Durations.parseMillis(text)).isEqualTo(millis);
        assertThat(Durations.format(millis)).isEqualTo(written);
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "", " ", "5", "m", "5 m", "-5m", "+5m", "5M", "5min", "1.5h", "1h30m", "5m\n6m", "٥m", "1e3s", "PT5M",
        // Beyond 2^63 milliseconds: the arithmetic must not overflow to another time.
        "999999999999d", "213503982335d", "9223372036854775808ms", "99999999999999999999ms"
    })
    void any_other_text_is_rejected_with_what_is_allowed(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Durations.parseMillis(text))
                .withMessage("must be a duration such as 250ms, 30s, 5m, 1h or 7d (units: ms, s, m, h, d)");
    }

    @Test
    void a_formatted_value_parses_to_the_same_value() {
        Seed seed = new Seed();
        for (int i = 0; i < seed.rounds(10_000); i++) {
            long millis = seed.random().nextLong(Long.MAX_VALUE) >>> seed.random().nextInt(63);
            assertThat(Durations.parseMillis(Durations.format(millis))).as(seed.toString()).isEqualTo(millis);
        }
    }
}
