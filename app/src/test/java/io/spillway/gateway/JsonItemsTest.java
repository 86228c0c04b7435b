package io.spillway.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.spillway.Seed;
import io.spillway.core.schedule.DeliveryWindow;
import io.spillway.schema.WorkItem;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class JsonItemsTest {
    private static final Instant NOW = Instant.ofEpochMilli(1_800_000_000_000L);

    private final Seed seed = new Seed();
    private final JsonItems items = new JsonItems("demo", "mail", () -> NOW);

    @Test
    void every_field_of_an_item_is_parsed() throws JsonProcessingException {
        WorkItem item = items.parse("""
            {"tenant":"acme","id":"order-1","enqueuedAt":1700000000000,"workload":"fax","channel":"c",
             "contentType":"text/plain","attributes":{"k":"v"},"payload":"grün"}\
            """);

        assertThat(item.getTenant()).isEqualTo("acme");
        assertThat(item.getId()).isEqualTo("order-1");
        assertThat(item.getEnqueuedAt()).isEqualTo(Instant.ofEpochMilli(1_700_000_000_000L));
        assertThat(item.getWorkload()).isEqualTo("fax");
        assertThat(item.getChannel()).isEqualTo("c");
        assertThat(item.getContentType()).isEqualTo("text/plain");
        assertThat(item.getAttributes()).isEqualTo(Map.of("k", "v"));
        assertThat(payload(item)).isEqualTo("grün");
    }

    @Test
    void absent_fields_get_their_defaults() throws JsonProcessingException {
        WorkItem item = items.parse("{\"payload\":{\"a\":[1,null]},\"channel\":null}");

        assertThat(item.getTenant()).isEqualTo("demo");
        assertThat(item.getWorkload()).isEqualTo("mail");
        assertThat(item.getEnqueuedAt()).isEqualTo(NOW);
        assertThat(item.getId()).hasSize(36);
        assertThat(item.getChannel()).isNull();
        assertThat(item.getContentType()).isEqualTo("application/octet-stream");
        assertThat(payload(item)).as("a value that is not text is sent as its JSON").isEqualTo("{\"a\":[1,null]}");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', value = {
        "[1]                                          | JSON object",
        "{\"tenant\":\"acme\"}                        | payload",
        "{\"payload\":\"x\",\"tenat\":\"acme\"}       | unknown key tenat",
        "{\"payload\":\"x\",\"tenant\":\"a b\"}       | tenant must be",
        "{\"payload\":\"x\",\"tenant\":7}             | tenant must be text",
        "{\"payload\":\"x\",\"workload\":\"a/b\"}     | workload must be",
        "{\"payload\":\"x\",\"id\":\"ä\"}             | id must be",
        "{\"payload\":\"x\",\"enqueuedAt\":\"now\"}   | epoch milliseconds",
        "{\"payload\":\"x\",\"enqueuedAt\":1.5}       | epoch milliseconds",
        "{\"payload\":\"x\",\"enqueuedAt\":1795003600} | epoch milliseconds",
        "{\"payload\":\"x\",\"enqueuedAt\":1795003600000000} | epoch milliseconds",
        "{\"payload\":\"x\",\"enqueuedAt\":1e30}      | epoch milliseconds",
        "{\"payload\":\"x\",\"enqueuedAt\":99999999999999999999} | epoch milliseconds",
        "{\"payload\":\"x\",\"enqueuedAt\":\"+999999999-12-31T23:59:59Z\"} | epoch milliseconds",
        "{\"payload\":\"x\",\"enqueuedAt\":\"-999999999-01-01T00:00:00Z\"} | epoch milliseconds",
        "{\"payload\":\"x\",\"attributes\":[]}        | attributes must be",
        "{\"payload\":\"x\",\"attributes\":{\"a\":{}}} | attributes must be",
        "{\"payload\":\"x\",\"attributes\":{\"a\":null}} | attributes must be",
        "{\"payload\":\"a\\ud800b\"}                 | payload contains half of a surrogate pair",
        "{\"payload\":\"x\",\"channel\":\"\\udc00\"}   | channel contains half of a surrogate pair",
        "{\"payload\":\"x\",\"attributes\":{\"a\":\"\\ud83d\"}} | attributes contains half of a surrogate pair",
    })
    void an_object_that_is_not_an_item_is_rejected_with_the_reason(String line, String reason) {
        assertThatThrownBy(() -> items.parse(line))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining(reason);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{",
                "nonsense",
                "{\"payload\":\"x\"} {\"payload\":\"y\"}",
                "{\"payload\":\"x\"},",
                "{\"payload\":\"x\",\"payload\":\"y\"}",
                "{\"payload\":\"x\",\"attributes\":{\"a\":\"1\",\"a\":\"2\"}}"
            })
    void a_line_that_is_not_exactly_one_json_value_is_rejected(String line) {
        assertThatThrownBy(() -> items.parse(line)).isInstanceOf(JsonProcessingException.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "12345678901234567890.12", "1.10", "1e400", "-0", "-0.0e-00", "1E+2", "0.10000000000000000555111512",
                "123456789012345678901234567890", "true", "null", "[ 1.0 , 2 ]", "{ \"a\" : 1.50,\t\"a\" : 1.5 }",
                "[\"\\u0041\\/\\ud83d\\ude00\", \"\\ud800\", \"grün 😀\"]", "{}", "[]"
            })
    void a_payload_that_is_not_text_is_stored_as_it_is_written(String payload) throws JsonProcessingException {
        assertThat(payload(items.parse("{\"payload\":" + payload + "}"))).isEqualTo(payload);
        String line = " { \"channel\": \"😀\" ,\t\"payload\" \r: " + payload + "  , \"id\":\"a\" } ";
        assertThat(payload(items.parse(line))).isEqualTo(payload);
    }

    /** Valid values of any shape, between other fields, in lines that are longer than the parser's buffer too. */
    @Test
    void any_payload_that_is_not_text_is_stored_character_by_character() throws JsonProcessingException {
        SplittableRandom random = seed.random();
        for (int i = 0; i < seed.rounds(2_000); i++) {
            StringBuilder value = new StringBuilder();
            do {
                value.setLength(0);
                new JsonText(random, value).value(random.nextInt(5));
            } while (value.charAt(0) == '"');
            List<String> fields = new ArrayList<>(List.of(
                    "\"payload\"" + JsonText.space(random) + ":" + JsonText.space(random) + value,
                    "\"channel\":\"" + "😀é".repeat(random.nextInt(i % 50 == 0 ? 20_000 : 20)) + "\"",
                    "\"attributes\":{\"n\":1.10,\"b\":true,\"t\":\"\\u00e9\"}"));
            Collections.shuffle(fields, new Random(random.nextLong()));
            String line = JsonText.space(random) + "{" + JsonText.space(random)
                    + String.join(JsonText.space(random) + "," + JsonText.space(random), fields)
                    + JsonText.space(random) + "}" + JsonText.space(random);

            WorkItem item = items.parse(line);

            assertThat(payload(item)).as("%s, line %s: %s", seed, i, line).isEqualTo(value.toString());
            assertThat(item.getAttributes()).isEqualTo(Map.of("n", "1.10", "b", "true", "t", "é"));
        }
    }

    /** Writer of JSON values with unusual numbers, escapes, white space and repeated keys. */
    private record JsonText(SplittableRandom random, StringBuilder out) {
        private static final String[] NUMBERS = {
            "0", "-0", "1.10", "1e400", "-1E-999", "0.10e+007", "12345678901234567890.12", "9".repeat(300)
        };
        private static final String[] PIECES = {
            "a", "\\u0041", "\\/", "/", "\\\"", "\\\\", "\\ud83d\\ude00", "é", "😀", "\u2028", "}", "]", ",",
            "{\\\"",
            // Half a surrogate pair; the parser refuses it in a name.
            "\\uD800"
        };

        static String space(SplittableRandom random) {
            return "  \t\n\r ".substring(0, random.nextInt(7));
        }

        void value(int depth) {
            switch (random.nextInt(depth > 0 ? 6 : 4)) {
                case 0 -> out.append(NUMBERS[random.nextInt(NUMBERS.length)]);
                case 1 -> out.append(new String[] {"true", "false", "null"}[random.nextInt(3)]);
                case 2 -> out.append(random.nextLong()).append('.').append(random.nextInt(1 << 20));
                case 3 -> text(PIECES.length);
                case 4 -> several('[', ']', () -> value(depth - 1));
                default -> several('{', '}', () -> {
                    text(PIECES.length - 1);
                    out.append(space(random)).append(':').append(space(random));
                    value(depth - 1);
                });
            }
        }

        private void several(char open, char close, Runnable member) {
            out.append(open).append(space(random));
            for (int i = random.nextInt(5); i > 0; i--) {
                member.run();
                out.append(space(random)).append(i > 1 ? "," : "").append(space(random));
            }
            out.append(close);
        }

        private void text(int pieces) {
            out.append('"');
            for (int i = random.nextInt(4); i > 0; i--) {
                out.append(PIECES[random.nextInt(pieces)]);
            }
            out.append('"');
        }
    }

    @Test
    void a_text_payload_is_stored_as_its_utf_8_bytes() throws JsonProcessingException {
        assertThat(payload(items.parse("{\"payload\":\"1.10 \\u00e9\\ud83d\\ude00\\n\"}"))).isEqualTo("1.10 é😀\n");
    }

    @Test
    void excessive_nesting_is_invalid_json_and_causes_no_stack_overflow() {
        assertThatThrownBy(() -> items.parse("{\"payload\":" + "[".repeat(100_000)))
                .isInstanceOf(JsonProcessingException.class);
    }

    private static String payload(WorkItem item) {
        return StandardCharsets.UTF_8.decode(item.getPayload().duplicate()).toString();
    }

    @Test
    void a_priority_is_a_number_from_0_to_9_and_normal_when_it_is_absent() throws JsonProcessingException {
        assertThat(items.read("{\"payload\":1,\"priority\":9}").priority()).isEqualTo(9);
        assertThat(items.read("{\"payload\":1,\"priority\":null}").priority()).isEqualTo(4);
        assertThat(items.read("{\"payload\":1}").priority()).isEqualTo(4);
        for (String wrong : List.of("10", "-1", "1.5", "\"5\"", "99999999999999999999", "true")) {
            assertThatThrownBy(() -> items.read("{\"payload\":1,\"priority\":" + wrong + "}"))
                    .hasMessage("priority must be a number from 0 to 9");
        }
    }

    @Test
    void a_time_of_the_first_attempt_is_epoch_milliseconds_or_a_time_and_none_when_it_is_absent() throws IOException {
        assertThat(deliverAt("1700000000000")).isEqualTo(1_700_000_000_000L);
        assertThat(deliverAt("\"2023-11-14T23:13:20.0009+01:00\"")).isEqualTo(1_700_000_000_000L);
        assertThat(deliverAt("0")).as("past").isEqualTo(946_684_800_000L);
        assertThat(deliverAt("\"1969-12-31T23:59:59Z\"")).as("past").isEqualTo(946_684_800_000L);
        assertThat(deliverAt("null")).isZero();
        assertThat(items.read("{\"payload\":1}").deliverAtMillis()).isZero();
        for (String wrong : List.of("1.5", "\"2h\"", "true", "\"\"", "99999999999999999999", "[]", "-5",
                "1795003600", "946684799999", "1795003600000000", "\"1795003600\"")) {
            assertThatThrownBy(() -> deliverAt(wrong)).as(wrong)
                    .hasMessage("deliverAt must be epoch milliseconds, or a time such as 2026-11-21T08:00:00Z");
        }
    }

    @Test
    void a_time_of_the_first_attempt_is_at_most_fourteen_days_ahead() throws IOException {
        long now = 1_700_000_000_000L;
        long most = now + 14 * 86_400_000L;
        JsonItems.requireSoon("deliverAt", 0, now);
        JsonItems.requireSoon("deliverAt", most, now);
        for (long wrong : List.of(most + 1, Long.MAX_VALUE, deliverAt("\"+999999999-01-01T00:00:00Z\""))) {
            assertThatThrownBy(() -> JsonItems.requireSoon("deliverAt", wrong, now))
                    .hasMessage("deliverAt must be at most 14d ahead of now");
        }
    }

    @Test
    void a_window_spreads_items_from_their_time_or_creation() throws IOException {
        long place = DeliveryWindow.offsetMillis("demo", "a", 300_000);
        String item = "{\"payload\":1,\"id\":\"a\",\"deliverWithin\":\"5m\"";
        assertThat(items.read(item + "}").deliverAtMillis()).isEqualTo(NOW.toEpochMilli() + place);
        assertThat(items.read(item + ",\"deliverAt\":1700000000000}").deliverAtMillis())
                .isEqualTo(1_700_000_000_000L + place);
        assertThat(items.read(item.replace("5m", "0s") + "}").deliverAtMillis()).isZero();
        assertThatThrownBy(() -> items.read(item.replace("5m", "15d") + "}"))
                .hasMessage("deliverWithin must be at most 14d");
        assertThatThrownBy(() -> items.read(item.replace("5m", "soon") + "}"))
                .hasMessageStartingWith("deliverWithin must be a duration such as 250ms");
    }

    private long deliverAt(String json) throws IOException {
        return items.read("{\"payload\":1,\"deliverAt\":" + json + "}").deliverAtMillis();
    }
}
