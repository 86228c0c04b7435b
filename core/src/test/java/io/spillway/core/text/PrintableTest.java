package io.spillway.core.text;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.Seed;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PrintableTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', nullValues = "-", value = {
        "acme | acme",
        "two words | two words",
        "~ | ~",
        "a\\b | a\\\\b",
        "- | null",
        "'' | ''",
        "é | \\u00e9",
        "\u202e | \\u202e",
        "😀 | \\ud83d\\ude00"
    })
    void printable_ascii_is_kept_and_the_rest_is_escaped(String text, String printed) {
        assertThat(Printable.of(text)).isEqualTo(printed);
    }

    @Test
    void line_ends_and_escapes_cannot_forge_a_line() {
        assertThat(Printable.of("x\r\n2026 INFO all is well\u001b[2K\u0000\u007f"))
                .isEqualTo("x\\u000d\\u000a2026 INFO all is well\\u001b[2K\\u0000\\u007f");
        assertThat(Printable.of("\\u000a")).as("an escape in the input is different text").isEqualTo("\\\\u000a");
    }

    @Test
    void every_character_has_a_unique_printable_ascii_form() {
        Map<String, Character> seen = new HashMap<>();
        for (int c = 0; c <= Character.MAX_VALUE; c++) {
            String printed = Printable.of(String.valueOf((char) c));
            assertThat(printed).as("character %s", c).matches("[ -~]+");
            assertThat(seen.put(printed, (char) c)).as("character %s", c).isNull();
        }
    }

    @Test
    void a_long_text_ends_in_dots_and_no_escape_is_cut() {
        assertThat(Printable.of("x".repeat(197))).isEqualTo("x".repeat(197));
        assertThat(Printable.of("x".repeat(198))).isEqualTo("x".repeat(197) + "...");
        assertThat(Printable.of("x".repeat(196) + "\n")).isEqualTo("x".repeat(196) + "...");
        assertThat(Printable.of("\n".repeat(1_000_000))).isEqualTo("\\u000a".repeat(32) + "...");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"0 | 0 items", "1 | 1 item", "2 | 2 items", "2000000 | 2,000,000 items"})
    void a_number_of_things_has_separators_and_the_plural(long number, String text) {
        assertThat(Printable.count(number, "item")).isEqualTo(text);
    }

    @Test
    void text_in_full_is_neither_cut_nor_escaped_but_for_what_a_terminal_may_interpret() {
        assertThat(Printable.inFull("gr\u00fc\u00df \\ $1 \ud83d\ude00".repeat(100)))
                .isEqualTo("gr\u00fc\u00df \\ $1 \ud83d\ude00".repeat(100));
        assertThat(Printable.inFull("a\n\u001b[2K\u202eb\u2028\ud83d"))
                .isEqualTo("a\\u000a\\u001b[2K\\u202eb\\u2028\\ud83d");
        assertThat(Printable.inFull(null)).isEqualTo("null");
    }

    @Test
    void text_on_one_line_has_a_space_for_each_line_end_and_the_indent_after_it() {
        assertThat(Printable.onOneLine(" a\r\n    b\n\nc\td \n")).isEqualTo("a b c\\u0009d");
    }

    @Test
    void of_a_failure_the_innermost_cause_and_its_first_line_are_shown() {
        Exception innermost = new IllegalStateException("disk is full\nat /var/lib");
        assertThat(Printable.innermostCause(innermost)).isEqualTo("IllegalStateException: disk is full");
        assertThat(Printable.innermostCause(new RuntimeException("outer", new RuntimeException(innermost))))
                .isEqualTo("IllegalStateException: disk is full");
        assertThat(Printable.innermostCause(new IllegalStateException())).isEqualTo("IllegalStateException");
        assertThat(Printable.innermostCause(new IllegalStateException(""))).isEqualTo("IllegalStateException: ");
    }

    @Test
    void short_texts_round_trip() {
        Seed seed = new Seed();
        for (int i = 0; i < seed.rounds(20_000); i++) {
            String text = text(seed);
            String printed = Printable.of(text);
            assertThat(printed).as(seed.toString()).matches("[ -~]*").hasSizeLessThanOrEqualTo(Printable.MAX_LENGTH);
            assertThat(readBack(printed)).as(seed.toString()).isEqualTo(text);
        }
    }

    /** Returns up to 30 characters, with many that affect escaping. */
    private static String text(Seed seed) {
        StringBuilder text = new StringBuilder();
        for (int length = seed.random().nextInt(31); length > 0; length--) {
            text.append(switch (seed.random().nextInt(4)) {
                case 0 -> '\\';
                case 1 -> "u00a\n\r\"'".charAt(seed.random().nextInt(8));
                case 2 -> (char) seed.random().nextInt(' ', '~' + 1);
                default -> (char) seed.random().nextInt(Character.MAX_VALUE + 1);
            });
        }
        return text.toString();
    }

    private static String readBack(String printed) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < printed.length(); i++) {
            if (printed.charAt(i) != '\\') {
                text.append(printed.charAt(i));
            } else if (printed.charAt(i + 1) == '\\') {
                text.append('\\');
                i++;
            } else {
                text.append((char) Integer.parseInt(printed.substring(i + 2, i + 6), 16));
                i += 5;
            }
        }
        return text.toString();
    }
}
