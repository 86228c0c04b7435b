package io.spillway.core.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class NumbersTest {
    @Test
    void whole_numbers_may_have_a_sign_and_underscores_between_digits() {
        assertThat(Numbers.whole("0")).isZero();
        assertThat(Numbers.whole("1_000_000")).isEqualTo(1_000_000);
        assertThat(Numbers.whole("-9223372036854775808")).isEqualTo(Long.MIN_VALUE);
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "100.5, 100.5", "1_000.25, 1000.25", ".5, 0.5", "-0.5, -0.5", "1e3, 1000", "2.5E-1, 0.25"})
    void a_number_may_have_a_fraction_and_an_exponent(String text, double number) {
        assertThat(Numbers.decimal(text)).isEqualTo(number);
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "", " ", "0100", "00", "0_1", "-07", "+5", "0x1F", "0o17", "0b11", "1__0", "_1", "1_", "1d", "1f", "1:30", "5 ",
        "NaN", "Infinity", ".inf", "0x1p3", "1.", "00.5", "1e", "\u0661\u0662", "99999999999999999999x"
    })
    void what_others_read_as_another_number_is_refused(String text) {
        assertThatThrownBy(() -> Numbers.whole(text)).isInstanceOf(NumberFormatException.class);
        assertThatThrownBy(() -> Numbers.decimal(text)).isInstanceOf(NumberFormatException.class);
    }

    @ParameterizedTest
    @CsvSource({
        "7, 7", "-3, -3", "0.25, 0.25", "1e9, 1000000000", "999999999999999, 999999999999999", "1e15, 1.0E15",
        "-1e15, -1.0E15", "Infinity, Infinity",
    })
    void a_message_has_whole_numbers_without_decimals(double number, String text) {
        assertThat(Numbers.plain(number)).isEqualTo(text);
    }

    @Test
    void only_a_leading_zero_needs_a_hint() {
        assertThat(Numbers.hint("0100")).isEqualTo(Numbers.hint("-00.5")).isEqualTo(" (without leading zeros)");
        for (String other : new String[] {"", "0", "0.5", "100", "fast", "0x1F", "-1"}) {
            assertThat(Numbers.hint(other)).isEmpty();
        }
    }
}
