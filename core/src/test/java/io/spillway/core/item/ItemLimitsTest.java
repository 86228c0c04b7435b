package io.spillway.core.item;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ItemLimitsTest {
    private static final String PLAIN = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
    private static final String NAME_CHARACTERS = PLAIN + "#$%&+:;=?@[]^{|}~";

    @Test
    void accepts_only_the_documented_bytes_and_characters_in_a_name() {
        for (int b = 0; b < 256; b++) {
            assertThat(ItemLimits.isName(new byte[] {(byte) b}, 0, 1)).as("byte %s", b).isEqualTo(
                    b < 128 && NAME_CHARACTERS.indexOf(b) >= 0);
        }
        for (int c = 0; c <= Character.MAX_VALUE; c++) {
            assertThat(ItemLimits.isName("a" + (char) c)).as("character %s", c)
                    .isEqualTo(NAME_CHARACTERS.indexOf(c) >= 0);
        }
    }

    @Test
    void accepts_only_printable_ascii_in_an_id() {
        for (int b = 0; b < 256; b++) {
            assertThat(ItemLimits.isId(new byte[] {(byte) b}, 0, 1)).as("byte %s", b).isEqualTo(b >= 32 && b <= 126);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 127, 128, 129, 255, 256, 257, 1_000})
    void a_name_has_1_to_128_characters_and_an_id_1_to_256(int length) {
        byte[] bytes = "x".repeat(length).getBytes(StandardCharsets.US_ASCII);
        assertThat(ItemLimits.isName(bytes, 0, length)).isEqualTo(length >= 1 && length <= 128);
        assertThat(ItemLimits.isName("x".repeat(length))).isEqualTo(length >= 1 && length <= 128);
        assertThat(ItemLimits.isId(bytes, 0, length)).isEqualTo(length >= 1 && length <= 256);
    }

    @Test
    void checks_only_the_bytes_from_offset_to_length() {
        byte[] bytes = " acme\n".getBytes(StandardCharsets.US_ASCII);
        assertThat(ItemLimits.isName(bytes, 1, 4)).isTrue();
        assertThat(ItemLimits.isName(bytes, 0, 4)).isFalse();
        assertThat(ItemLimits.isName(bytes, 1, 5)).isFalse();
        assertThat(ItemLimits.isId(bytes, 0, 5)).isTrue();
        assertThat(ItemLimits.isId(bytes, 1, 5)).isFalse();
    }

    @Test
    void an_impossible_length_is_neither_a_name_nor_an_id() {
        assertThat(ItemLimits.isName(new byte[4], 0, -1)).isFalse();
        assertThat(ItemLimits.isName(new byte[4], 0, Integer.MAX_VALUE)).isFalse();
        assertThat(ItemLimits.isId(new byte[4], 0, Integer.MIN_VALUE)).isFalse();
        assertThat(ItemLimits.isName(null)).isFalse();
    }

    @ParameterizedTest
    @CsvSource({
        "946684799999, false", "946684800000, true", "253402300799999, true", "253402300800000, false",
        // The same time in seconds, milliseconds and microseconds.
        "1800000000, false", "1800000000000, true", "1800000000000000, false",
    })
    void a_time_is_in_milliseconds_from_2000_to_9999(long number, boolean isTime) {
        assertThat(ItemLimits.isTime(number)).isEqualTo(isTime);
    }

    @ParameterizedTest
    @ValueSource(strings = {"auth0|5f7c", "org:42", "a+b@c.example", "urn:uuid:6e8", "{5f7c}", "a%2Fb", "host$", "@a"})
    void names_of_identity_systems_are_names(String name) {
        assertThat(ItemLimits.isName(name)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"*", "*other*", "(none)", "(idle)", "(dead:bad-id)", "!acme", "acme/mail"})
    void what_spillway_itself_calls_something_is_not_a_tenant(String name) {
        assertThat(ItemLimits.isName(name)).isFalse();
    }
}
