package io.spillway.kafka.codec;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.item.DeadReason;
import io.spillway.core.item.ItemState;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TrailCodecTest {
    private static final String ORIGIN = "spillway.ingress-3-17";
    private final TrailCodec codec = new TrailCodec();
    private final ItemReader reader = new ItemReader(ItemSchemas.load(), Integer.MAX_VALUE);

    @ParameterizedTest
    @CsvSource({"DONE, ''", "DROPPED, ttl", "DROPPED, sweep", "DROPPED, discarded", "DELAY, retry",
        "DEAD_LETTER, final-failure", "HOT, fresh", "AGED, age"})
    void an_end_is_read_as_written(ItemState state, String reason) {
        TrailCodec.End end = new TrailCodec.End(state, reason);

        assertThat(TrailCodec.End.of(end.encode())).contains(end);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "outside", "donee", "\u0000", "dead-letters"})
    void another_value_is_no_end(String value) {
        assertThat(TrailCodec.End.of(bytes(value))).isEmpty();
        assertThat(TrailCodec.End.of(null)).isEmpty();
    }

    @Test
    void its_record_is_read_as_the_item_without_its_payload() {
        Headers headers = new RecordHeaders()
                .add(ItemHeaders.TENANT, bytes("acme")).add(ItemHeaders.ID, bytes("order 1"))
                .add(ItemHeaders.WORKLOAD, bytes("mail")).add("mine", bytes("x"))
                .add(ItemHeaders.FIRST_ATTEMPT_AT, bytes("17"));
        Headers trail = codec.headers(null, bytes("a payload"), headers, 42, ORIGIN, 3);

        ParsedRecord read = reader.read(null, new TrailCodec.End(ItemState.DONE, "").encode(), trail, 99);
        assertThat(read).isEqualTo(new ParsedRecord.Item("acme", 42, "mail", true));
        assertThat(ItemHeaders.text(trail, ItemHeaders.ID)).contains("order 1");
        assertThat(ItemHeaders.text(trail, ItemHeaders.ORIGIN)).contains(ORIGIN);
        assertThat(ItemHeaders.number(trail, ItemHeaders.ATTEMPT)).hasValue(3);
        assertThat(ItemHeaders.number(trail, ItemHeaders.FIRST_ATTEMPT_AT)).hasValue(17);
        assertThat(trail.lastHeader("mine")).isNull();
    }

    @Test
    void an_id_in_the_value_that_no_item_may_have_is_replaced_by_the_position_of_an_item_routed_by_its_headers() {
        for (String id : List.of("", "\u00e9", "two\nlines", "x".repeat(257))) {
            byte[] value = Items.encode(Items.item("acme", id, 42, "mail"));
            Headers headers = new RecordHeaders().add(ItemHeaders.TENANT, bytes("acme"));
            Headers trail = codec.headers(null, value, headers, 42, ORIGIN, 3);

            assertThat(ItemHeaders.text(trail, ItemHeaders.ID)).contains(ORIGIN);
            assertThat(reader.read(null, new byte[0], trail, 99)).isInstanceOf(ParsedRecord.Item.class);
        }
    }

    @Test
    void an_unreadable_record_keeps_an_id_that_can_be_read() {
        ItemDecoder decoder = new ItemDecoder();
        ParsedRecord.Unreadable bad = new ParsedRecord.Unreadable(DeadReason.BAD_TENANT, "", false, "");

        assertThat(decoder.id(bad, bytes("x"), new RecordHeaders().add(ItemHeaders.ID, bytes("order-1"))))
                .contains("order-1");
        assertThat(Stream.of(bytes("\u0007"), bytes(""), bytes("x".repeat(257)), null).map(id ->
                decoder.id(bad, bytes("x"), new RecordHeaders().add(ItemHeaders.ID, id))))
                .allMatch(java.util.Optional::isEmpty);
        assertThat(decoder.id(bad, null, new RecordHeaders())).isEmpty();
        byte[] cutShort = new byte[SingleObject.PREFIX_BYTES + 1];
        cutShort[0] = (byte) 0xC3;
        cutShort[1] = 1;
        cutShort[SingleObject.PREFIX_BYTES] = 100;
        assertThat(decoder.id(bad, cutShort, new RecordHeaders())).isEmpty();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
