package io.spillway.operator;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.deadletter.DeadLetterSamples;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DeadLetterFieldsTest {
    private static final int MAX = 64 * 1024;

    private static Map<String, Object> shown(byte[] payload, boolean withPayload) {
        return DeadLetterFields.shown(DeadLetterSamples.letter(0, 7, "acme", "a-1", 1_000, payload), withPayload);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @ParameterizedTest(name = "{0}: {1}")
    @CsvSource(delimiter = '|', quoteCharacter = '^', value = {
        "hello                    | text",
        "<script>alert(1)</script> | text",
        "{\"a\": [1, null]}       | json",
        "[]                       | json",
        "17                       | json",
        "\"text\"                 | json",
        "{\"a\": 1                | text",
        "{\"a\": 1} x             | text",
        "NaN                      | text",
        "\u00e9\u4e2d             | text",
        "a\ttab                   | text",
        "be\u0007ll               | hex",
        "dele\u007fte             | hex",
        "escape\u001b[31m         | hex",
    })
    void a_payload_is_text_json_or_digits_and_is_never_interpreted(String payload, String kind) {
        Map<String, Object> shown = shown(bytes(payload), true);
        assertThat(shown.get("kind")).isEqualTo(kind);
        assertThat(shown.get("truncated")).isEqualTo(false);
        assertThat(shown.get("payload")).isEqualTo(kind.equals("hex")
                ? HexFormat.of().formatHex(bytes(payload)) : payload);
    }

    @Test
    void bytes_that_are_not_text_are_digits_and_an_empty_payload_is_empty_text() {
        assertThat(shown(new byte[] {(byte) 0xff, 0}, true)).containsEntry("kind", "hex")
                .containsEntry("payload", "ff00");
        assertThat(shown(new byte[0], true)).containsEntry("kind", "text").containsEntry("payload", "");
    }

    @ParameterizedTest(name = "{0} bytes of characters of {1} bytes")
    @CsvSource({
        "65536, 1, false", "65537, 1, true", "65537, 2, true", "65538, 3, true", "65540, 4, true", "65539, 4, true",
        "65541, 4, true", "65542, 4, true", "70000, 3, true"
    })
    void a_long_payload_is_cut_between_two_characters(int length, int bytesOfEach, boolean isCut) {
        String character = switch (bytesOfEach) {
            case 1 -> "a";
            case 2 -> "\u00e9";
            case 3 -> "\u4e2d";
            default -> "\ud83d\ude00";
        };
        byte[] payload = bytes("x".repeat(length % bytesOfEach) + character.repeat(length / bytesOfEach));
        Map<String, Object> shown = shown(payload, true);
        assertThat(shown).containsEntry("kind", "text").containsEntry("truncated", isCut)
                .containsEntry("payloadBytes", length);
        String text = (String) shown.get("payload");
        assertThat(bytes(text).length).isBetween(Math.min(length, MAX) - 3, MAX);
        assertThat(new String(payload, StandardCharsets.UTF_8)).startsWith(text);
    }

    @Test
    void json_that_is_cut_is_text_and_deep_json_is_read_in_little_memory() {
        assertThat(shown(bytes("[" + "1,".repeat(MAX) + "1]"), true)).containsEntry("kind", "text");
        assertThat(shown(bytes("[".repeat(30_000) + "]".repeat(30_000)), true).get("kind")).isIn("text", "json");
    }

    @Test
    void without_its_payload_nothing_that_a_producer_wrote_is_shown_but_names() {
        Map<String, Object> shown = shown(bytes("the payload"), false);
        assertThat(shown.toString()).contains("acme", "a-1", "attempts-used-up")
                .doesNotContain("the payload", "secret of the producer", "no luck");
        assertThat(shown).containsKeys("payloadBytes", "headerCount").doesNotContainKeys("kind", "payload");
    }
}
