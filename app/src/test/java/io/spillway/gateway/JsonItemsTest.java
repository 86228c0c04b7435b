package io.spillway.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.spillway.schema.WorkItem;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class JsonItemsTest {
    private static final Instant NOW = Instant.ofEpochMilli(1_800_000_000_000L);

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
        "{\"payload\":\"x\",\"enqueuedAt\":1e30}      | epoch milliseconds",
        "{\"payload\":\"x\",\"attributes\":[]}        | attributes must be",
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
                "{\"payload\":\"x\",\"payload\":\"y\"}"
            })
    void a_line_that_is_not_exactly_one_json_value_is_rejected(String line) {
        assertThatThrownBy(() -> items.parse(line)).isInstanceOf(JsonProcessingException.class);
    }

    @Test
    void excessive_nesting_is_invalid_json_and_causes_no_stack_overflow() {
        assertThatThrownBy(() -> items.parse("{\"payload\":" + "[".repeat(100_000)))
                .isInstanceOf(JsonProcessingException.class);
    }

    private static String payload(WorkItem item) {
        return StandardCharsets.UTF_8.decode(item.getPayload().duplicate()).toString();
    }
}
