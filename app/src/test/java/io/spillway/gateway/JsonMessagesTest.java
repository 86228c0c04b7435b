package io.spillway.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.core.JsonProcessingException;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JsonMessagesTest {
    private final JsonItems items = new JsonItems("acme", "", () -> Instant.EPOCH);

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', value = {
        "{\"payload\":1} 2                | not JSON: more than one value (column ",
        "{\"id\":\"a\",\"id\":\"b\"}       | not JSON: the key id appears twice (column ",
        "{\"payload\":                   | not JSON (column ",
        "nonsense                        | not JSON (column "
    })
    void a_fault_is_named_with_its_column_and_without_the_parser(String line, String expected) {
        JsonProcessingException fault =
                catchThrowableOfType(JsonProcessingException.class, () -> items.parse(line));

        assertThat(JsonItems.problemOf(fault)).startsWith(expected).matches(".*\\(column \\d+\\)");
    }

    @ParameterizedTest
    @CsvSource({"1763712000000", "'\"2025-11-21T08:00:00Z\"'", "'\"2025-11-21T09:00:00.000999+01:00\"'"})
    void a_time_is_epoch_milliseconds_or_iso_8601(String time) throws Exception {
        assertThat(items.parse("{\"payload\":\"x\",\"enqueuedAt\":" + time + "}").getEnqueuedAt())
                .isEqualTo(Instant.ofEpochMilli(1_763_712_000_000L));
    }

    @Test
    void another_time_is_refused_with_both_forms() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> items.parse("{\"payload\":\"x\",\"enqueuedAt\":\"yesterday\"}"))
                .withMessage("enqueuedAt must be epoch milliseconds, or a time such as 2026-11-21T08:00:00Z");
    }
}
