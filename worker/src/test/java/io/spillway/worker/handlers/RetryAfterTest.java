package io.spillway.worker.handlers;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RetryAfterTest {
    private static final Instant NOW = Instant.parse("2026-11-21T08:00:00Z");

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "0 | 0",
        "7 | 7",
        " 120 | 120",
        "86400 | 86400",
        "2592000 | 2592000",
        "2592001 | 2592000",
        "99999999999999999999999 | 2592000",
        "Sat, 21 Nov 2026 08:02:00 GMT | 120",
        "Saturday, 21-Nov-26 08:02:00 GMT | 120",
        "Sat Nov 21 08:02:00 2026 | 120",
        "Tue, 1 Dec 2026 08:00:00 GMT | 864000",
        "Sat, 21 Nov 2026 07:00:00 GMT | 0",
        "Sun Nov  1 08:02:00 2026 | 0"})
    void seconds_and_the_three_date_formats_are_parsed(String value, long seconds) {
        assertThat(RetryAfter.parse(value, Optional.empty(), NOW)).contains(Duration.ofSeconds(seconds));
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "", " ", "-1", "+5", "1.5", "soon", "\u0663", "Sat, 21 Nov 2026", "Mon, 21 Nov 2026 08:02:00 GMT",
        "2026-11-21T08:02:00Z", "Sat, 31 Nov 2026 08:02:00 GMT"})
    void any_other_value_is_ignored(String value) {
        assertThat(RetryAfter.parse(value, Optional.empty(), NOW)).isEmpty();
        assertThat(RetryAfter.parse(value + "x".repeat(100_000), Optional.empty(), NOW)).isEmpty();
    }

    @Test
    void a_date_is_relative_to_the_date_of_the_response() {
        String until = "Sat, 21 Nov 2026 09:00:30 GMT";
        Optional<String> date = Optional.of("Sat, 21 Nov 2026 09:00:00 GMT");

        assertThat(RetryAfter.parse(until, date, NOW)).contains(Duration.ofSeconds(30));
        assertThat(RetryAfter.parse(until, Optional.of("yesterday"), NOW)).contains(Duration.ofSeconds(3_630));
        assertThat(RetryAfter.parse("30", date, NOW)).contains(Duration.ofSeconds(30));
    }
}
