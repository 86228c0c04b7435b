package io.spillway.core.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AllowedRangeTest {
    private record Limits(
            @Setting(key = "slots", allowed = "1 to 100", doc = "number") int slots,
            @Setting(key = "factor", allowed = "0, or 1.5 to 1000.0", doc = "number, 0 for none") double factor,
            String free,
            @Setting(key = "wait", allowed = "100ms to 5m", doc = "time") Duration pause,
            @Setting(key = "host", allowed = "a name", doc = "text") String host,
            @Setting(key = "seed", allowed = "any number", doc = "number") long seed) {}

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            1 to 100            | false | 1        | 100
            0, or 1.5 to 1000.0 | true  | 1.5      | 1000
            -5 to 5             | false | -5       | 5
            100ms to 5m         | false | 100      | 300000
            1ms or more         | false | 1        | Infinity
            0 or more           | false | 0        | Infinity
            """)
    void a_range_is_read_as_it_is_declared(String allowed, boolean zero, double min, double max) {
        assertThat(AllowedRange.parse(allowed)).contains(new AllowedRange(zero, min, max));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a name", "1", "1 to", "to 5", "1 to 5 or more", "0 or 1 to 5", "1 to 5 to 7"})
    void any_other_text_is_no_range(String allowed) {
        assertThat(AllowedRange.parse(allowed)).isEmpty();
    }

    @ParameterizedTest(name = "slots {0}, factor {1}, wait {2} ms: {3}")
    @CsvSource(nullValues = "-", value = {
        "1,   0,      100,    -",
        "100, 1.5,    300000, -",
        "7,   1000,   5000,   -",
        "0,   0,      100,    slots = 0: must be 1 to 100",
        "101, 0,      100,    slots = 101: must be 1 to 100",
        "7,   1.4,    100,    'factor = 1.4: must be 0, or 1.5 to 1000.0'",
        "7,   1000.1, 100,    'factor = 1000.1: must be 0, or 1.5 to 1000.0'",
        "7,   2,      99,     wait = 99ms: must be 100ms to 5m",
        "7,   2,      300001, wait = 300001ms: must be 100ms to 5m",
        "0,   1,      99,     slots = 0: must be 1 to 100",
    })
    void the_first_value_out_of_its_range_is_refused(int slots, double factor, long millis, String message) {
        Object[] values = {slots, factor, "any", Duration.ofMillis(millis), "", -1L};
        if (message == null) {
            assertThatCode(() -> AllowedRange.check(Limits.class, values)).doesNotThrowAnyException();
        } else {
            assertThatThrownBy(() -> AllowedRange.check(Limits.class, values))
                    .isInstanceOf(InvalidSettingException.class).hasMessage(message);
        }
    }
}
