package io.spillway.kafka.codec;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class OriginTest {
    @ParameterizedTest
    @CsvSource({
        "spillway.ingress-0-0, spillway.ingress, 0, 0",
        "my-topic-3-17, my-topic, 3, 17",
        "a-1-2-3, a-1, 2, 3",
        "t-999999999-999999999999999999, t, 999999999, 999999999999999999",
    })
    void an_origin_is_a_topic_a_partition_and_an_offset(String text, String topic, int partition, long offset) {
        Origin origin = new Origin(topic, partition, offset);
        assertThat(Origin.of(headers("spillway-origin", text))).contains(origin);
        assertThat(new String(origin.bytes(), StandardCharsets.UTF_8)).isEqualTo(text);
    }

    @Test
    void the_origin_of_a_delivery_has_its_workload_behind_it() {
        Origin delivery = new Origin("t-1", 3, 17).of("~billing-2-3");
        assertThat(delivery.delivery()).isEqualTo("~billing-2-3");
        assertThat(new String(delivery.bytes(), StandardCharsets.UTF_8)).isEqualTo("t-1-3-17~billing-2-3");
        assertThat(Origin.of(headers("spillway-origin", "t-1-3-17~billing-2-3"))).contains(delivery);
        String longest = "~" + "n".repeat(127);
        assertThat(Origin.of(headers("spillway-origin", "t".repeat(249) + "-0-0" + longest)))
                .contains(new Origin("t".repeat(249), 0, 0, longest));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "-0-0", "t-0-0~", "t-0-0~a b", "t-0-0billing", "t-0", "t", "t-0-", "t--0", "t-x-0",
        "t-0-x", "t-0-0 ", "t t-0-0",
        "t-1000000000-0", "t-0-1000000000000000000", "é-0-0"})
    void an_invalid_origin_is_empty(String text) {
        assertThat(Origin.of(headers("spillway-origin", text))).isEmpty();
    }

    @Test
    void a_dead_letter_has_three_parts_and_a_whole_origin_takes_precedence() {
        RecordHeaders parts = headers(
                "spillway-origin-topic", "t", "spillway-origin-partition", "4", "spillway-origin-offset", "5");
        assertThat(Origin.of(parts)).contains(new Origin("t", 4, 5));
        parts.add("spillway-origin", "u-6-7".getBytes(StandardCharsets.UTF_8));
        assertThat(Origin.of(parts)).contains(new Origin("u", 6, 7));
        assertThat(Origin.of(headers("spillway-origin-topic", "t", "spillway-origin-offset", "5"))).isEmpty();
        assertThat(Origin.of(new RecordHeaders())).isEqualTo(Optional.empty());
    }

    @Test
    void an_origin_of_extreme_length_is_empty() {
        assertThat(Origin.of(headers("spillway-origin", "t".repeat(1_000_000) + "-0-0"))).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "-5, -5", "9223372036854775807, 9223372036854775807", "9223372036854775808, ",
        "1.5, ", "'', ", "' 1', ", "111111111111111111111, "})
    void a_number_in_a_header_is_a_decimal_64_bit_integer(String text, Long expected) {
        assertThat(ItemHeaders.number(headers("n", text), "n"))
                .isEqualTo(expected == null ? OptionalLong.empty() : OptionalLong.of(expected));
        assertThat(ItemHeaders.number(new RecordHeaders().add("n", null), "n")).isEmpty();
        assertThat(ItemHeaders.number(new RecordHeaders(), "n")).isEmpty();
    }

    private static RecordHeaders headers(String... namesAndValues) {
        RecordHeaders headers = new RecordHeaders();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            headers.add(namesAndValues[i], namesAndValues[i + 1].getBytes(StandardCharsets.UTF_8));
        }
        return headers;
    }
}
