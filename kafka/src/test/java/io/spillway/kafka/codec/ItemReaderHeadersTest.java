package io.spillway.kafka.codec;

import static io.spillway.core.item.DeadReason.BAD_ENQUEUED_AT;
import static io.spillway.core.item.DeadReason.BAD_ID;
import static io.spillway.core.item.DeadReason.BAD_TENANT;
import static io.spillway.core.item.DeadReason.BAD_WORKLOAD;
import static io.spillway.core.item.DeadReason.MALFORMED;
import static io.spillway.core.item.DeadReason.NULL_VALUE;
import static io.spillway.core.item.DeadReason.TOO_LARGE;
import static io.spillway.core.item.DeadReason.TOO_MANY_HEADERS;
import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.item.DeadReason;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ItemReaderHeadersTest {
    private static final byte[] AVRO = Items.encode(Items.item());

    @Test
    void with_a_tenant_in_the_headers_any_value_is_an_item() {
        ParsedRecord expected = new ParsedRecord.Item("bolt", Items.TIMESTAMP, "", false);
        for (byte[] value : List.of(
                new byte[0],
                Items.bytes("{\"json\": true}"),
                new byte[] {0, 0, 0, 0, 7, 1, 2, 3},
                new byte[] {(byte) 0xC3, 1},
                ItemBytes.withFingerprint(42).withTail(),
                Arrays.copyOf(AVRO, AVRO.length - 1),
                Arrays.copyOf(AVRO, AVRO.length + 1))) {
            assertThat(Items.read(value, "spillway-tenant", "bolt")).isEqualTo(expected);
        }
    }

    @Test
    void headers_take_precedence_over_the_value_which_provides_the_rest() {
        assertThat(Items.read(AVRO, "spillway-tenant", "bolt"))
                .isEqualTo(new ParsedRecord.Item("bolt", Items.ENQUEUED_AT, "mail", false));
        assertThat(Items.read(AVRO, "spillway-enqueued-at", "946684800000"))
                .isEqualTo(new ParsedRecord.Item("acme", 946_684_800_000L, "mail", false));
        assertThat(Items.read(AVRO, "spillway-workload", "sms"))
                .isEqualTo(new ParsedRecord.Item("acme", Items.ENQUEUED_AT, "sms", false));
        assertThat(Items.read(AVRO, "spillway-workload", ""))
                .isEqualTo(new ParsedRecord.Item("acme", Items.ENQUEUED_AT, "", false));
        assertThat(Items.read(AVRO, "spillway-id", "another"))
                .isEqualTo(new ParsedRecord.Item("acme", Items.ENQUEUED_AT, "mail", false));
        assertThat(Items.read(new byte[0], "spillway-tenant", "bolt", "spillway-id", "9",
                "spillway-enqueued-at", "5", "spillway-workload", "sms"))
                .isEqualTo(new ParsedRecord.Item("bolt", 5, "sms", false));
    }

    /** A producer that sets the tenant in a header may leave the field empty; the other fields still count. */
    @Test
    void a_field_of_the_value_is_not_validated_if_a_header_overrides_it() {
        assertThat(Items.read(Items.encode(Items.item("", "1", 77, "mail")), "spillway-tenant", "bolt"))
                .isEqualTo(new ParsedRecord.Item("bolt", 77, "mail", false));
        assertThat(Items.read(Items.encode(Items.item("acme", "", 77, "mail")), "spillway-id", "1"))
                .isEqualTo(new ParsedRecord.Item("acme", 77, "mail", false));
        assertThat(Items.read(Items.encode(Items.item("acme", "1", 77, "a b")), "spillway-workload", ""))
                .isEqualTo(new ParsedRecord.Item("acme", 77, "", false));
        assertThat(Items.reasonOf(Items.encode(Items.item("acme", "", 77, "a b")), "spillway-workload", "x"))
                .isEqualTo(BAD_ID);
    }

    @Test
    void without_a_tenant_in_the_headers_the_value_must_be_an_item() {
        assertThat(Items.reasonOf(Items.bytes("{}"), "spillway-id", "1")).isEqualTo(MALFORMED);
        assertThat(Items.reasonOf(Items.bytes("{}"), "spillway-enqueued-at", "1")).isEqualTo(MALFORMED);
        assertThat(Items.reasonOf(Items.bytes("{}"), "tenant", "acme")).isEqualTo(MALFORMED);
        assertThat(Items.reasonOf(Items.bytes("{}"), "Spillway-Tenant", "acme")).isEqualTo(MALFORMED);
    }

    @Test
    void a_record_without_a_value_is_unreadable_even_with_a_tenant() {
        assertThat(Items.reasonOf(null, "spillway-tenant", "bolt")).isEqualTo(NULL_VALUE);
    }

    @ParameterizedTest(name = "{0}: {1}")
    @CsvSource(delimiter = '|', nullValues = "-", value = {
        "spillway-tenant      | -                    | BAD_TENANT",
        "spillway-tenant      | ''                   | BAD_TENANT",
        "spillway-tenant      | a b                  | BAD_TENANT",
        "spillway-tenant      | *                    | BAD_TENANT",
        "spillway-tenant      | öl                   | BAD_TENANT",
        "spillway-id          | -                    | BAD_ID",
        "spillway-id          | ''                   | BAD_ID",
        "spillway-id          | é                    | BAD_ID",
        "spillway-workload    | -                    | BAD_WORKLOAD",
        "spillway-workload    | a b                  | BAD_WORKLOAD",
        "spillway-enqueued-at | -                    | BAD_ENQUEUED_AT",
        "spillway-enqueued-at | ''                   | BAD_ENQUEUED_AT",
        "spillway-enqueued-at | ' 5'                 | BAD_ENQUEUED_AT",
        "spillway-enqueued-at | 5.0                  | BAD_ENQUEUED_AT",
        "spillway-enqueued-at | 2026-11-21T00:00:00Z | BAD_ENQUEUED_AT",
        "spillway-enqueued-at | 9223372036854775808  | BAD_ENQUEUED_AT",
        "spillway-enqueued-at | 000000000000000000005 | BAD_ENQUEUED_AT",
        "spillway-enqueued-at | ٥                    | BAD_ENQUEUED_AT"
    })
    void an_invalid_header_is_rejected_even_if_the_value_is_valid(String name, String value, DeadReason reason) {
        assertThat(Items.reasonOf(AVRO, name, value)).isEqualTo(reason);
        assertThat(Items.reasonOf(AVRO, "spillway-tenant", "bolt", name, value)).isEqualTo(reason);
    }

    @Test
    void headers_have_the_same_limits_as_fields() {
        assertThat(Items.read(AVRO, "spillway-tenant", "x".repeat(128))).isInstanceOf(ParsedRecord.Item.class);
        assertThat(Items.reasonOf(AVRO, "spillway-tenant", "x".repeat(129))).isEqualTo(BAD_TENANT);
        assertThat(Items.read(AVRO, "spillway-id", "x".repeat(256))).isInstanceOf(ParsedRecord.Item.class);
        assertThat(Items.reasonOf(AVRO, "spillway-id", "x".repeat(257))).isEqualTo(BAD_ID);
        assertThat(Items.reasonOf(AVRO, "spillway-workload", "x".repeat(129))).isEqualTo(BAD_WORKLOAD);
        assertThat(Items.reasonOf(AVRO, "spillway-enqueued-at", "1".repeat(3_000))).isEqualTo(BAD_ENQUEUED_AT);
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "-1", "-999999999999999999", "9223372036854775807", "-9223372036854775808",
        "00000000000000000005"})
    void any_whole_number_of_milliseconds_is_read(String millis) {
        assertThat(Items.read(AVRO, "spillway-enqueued-at", millis))
                .isEqualTo(new ParsedRecord.Item("acme", Long.parseLong(millis), "mail", false));
    }

    @Test
    void of_two_headers_with_the_same_name_the_last_counts() {
        assertThat(Items.read(AVRO, "spillway-tenant", "a b", "spillway-tenant", "bolt"))
                .isEqualTo(new ParsedRecord.Item("bolt", Items.ENQUEUED_AT, "mail", false));
        assertThat(Items.reasonOf(AVRO, "spillway-tenant", "bolt", "spillway-tenant", "a b")).isEqualTo(BAD_TENANT);
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "spillway-attempt", "spillway-due", "spillway-lane-reason", "spillway-origin", "spillway-moves",
        "spillway-first-attempt-at", "spillway-replayed-at", "spillway-destination", "spillway-blame", "spillway-wait",
        "spillway-dead-reason", "spillway-dead-detail", "spillway-dead-cut-from",
        "spillway-dead-failure", "spillway-dead-stage", "spillway-dead-at", "spillway-origin-topic",
        "spillway-origin-partition", "spillway-origin-offset"
    })
    void an_internal_header_is_detected_on_items_and_on_unreadable_records(String name) {
        assertThat(ItemHeaders.isInternal(name)).isTrue();
        assertThat(Items.read(AVRO, name, "x"))
                .isEqualTo(new ParsedRecord.Item("acme", Items.ENQUEUED_AT, "mail", true));
        assertThat(Items.read(AVRO, name, null, "spillway-tenant", "bolt", "z", "z"))
                .isEqualTo(new ParsedRecord.Item("bolt", Items.ENQUEUED_AT, "mail", true));
        assertThat(((ParsedRecord.Unreadable) Items.read(new byte[0], name, "x")).hasInternalHeaders()).isTrue();
        assertThat(((ParsedRecord.Unreadable) Items.read(null, name, "x")).hasInternalHeaders()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "spillway-tenant", "spillway-id", "spillway-enqueued-at", "spillway-workload", "traceparent", "tracestate",
        "spillway-", "spillway-attempts", "spillway-Attempt", "x-spillway-attempt", ""
    })
    void a_header_of_the_producer_is_not_internal(String name) {
        assertThat(ItemHeaders.isInternal(name)).isFalse();
        Headers headers = Items.headers(name, "5");
        assertThat(HeaderScan.of(headers).hasInternal()).isFalse();
    }

    @Test
    void a_record_may_have_1000_headers_and_not_more() {
        assertThat(withHeaders(1_000)).isInstanceOf(ParsedRecord.Item.class);
        assertThat(withHeaders(1_001)).isEqualTo(
                new ParsedRecord.Unreadable(TOO_MANY_HEADERS, "1001 headers; at most 1000", false, "acme"));
        assertThat(withHeaders(10_000)).isEqualTo(
                new ParsedRecord.Unreadable(TOO_MANY_HEADERS, "10000 headers; at most 1000", false, "acme"));
    }

    @Test
    void headers_count_towards_the_size_limit() {
        assertThat(Items.reasonOf(AVRO, "x".repeat(Items.MAX_BYTES), null)).isEqualTo(TOO_LARGE);
        assertThat(Items.reasonOf(AVRO, "x", "y".repeat(Items.MAX_BYTES))).isEqualTo(TOO_LARGE);
        assertThat(Items.reasonOf(AVRO, "spillway-tenant", "y".repeat(Items.MAX_BYTES))).isEqualTo(TOO_LARGE);
    }

    @Test
    void a_scan_counts_headers_and_their_bytes() {
        HeaderScan scan = HeaderScan.of(Items.headers("abc", "12", "abc", null, "", ""));
        assertThat(scan.count()).isEqualTo(3);
        assertThat(scan.bytes()).isEqualTo(8);
        assertThat(scan.hasRoutingFields()).isFalse();
        assertThat(HeaderScan.of(new RecordHeaders()))
                .isEqualTo(new HeaderScan(0, 0, false, false, 0, null, null, null, null));
    }

    private static ParsedRecord withHeaders(int count) {
        Headers headers = new RecordHeaders();
        for (int i = 0; i < count; i++) {
            headers.add("h", null);
        }
        return new ItemReader(ItemSchemas.load(), 1_000_000).read(null, AVRO, headers, Items.TIMESTAMP);
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "9, 9", "4, 4", "10, 4", "-1, 4", "'', 4", "x, 4", "07, 4", "' 7', 4"})
    void a_priority_is_one_digit_and_anything_else_is_the_normal_one(String value, int expected) {
        RecordHeaders headers = new RecordHeaders();
        assertThat(ItemHeaders.priority(headers)).isEqualTo(4);
        headers.add("spillway-priority", value.getBytes(StandardCharsets.UTF_8));
        assertThat(ItemHeaders.priority(headers)).isEqualTo(expected);
        headers.add("spillway-priority", null);
        assertThat(ItemHeaders.priority(headers)).isEqualTo(4);
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "946684799999, -1", "946684800000, 946684800000", "253402300799999, 253402300799999",
        "1795003600, -1", "1795003600000000, -1", "9223372036854775807, -1", "-1, -1", "'', -1", "x, -1", "1.5, -1",
        "9223372036854775808, -1", "2026-11-21T08:00:00Z, -1"})
    void a_time_of_the_first_attempt_is_epoch_milliseconds_and_anything_else_is_no_time(String value, long expected) {
        for (byte[] body : List.of(AVRO, new byte[] {1})) {
            RecordHeaders headers = new RecordHeaders();
            headers.add("spillway-tenant", "acme".getBytes(StandardCharsets.UTF_8));
            assertThat(deliverAtMillis(body, headers)).isZero();
            headers.add("spillway-deliver-at", value.getBytes(StandardCharsets.UTF_8));
            assertThat(deliverAtMillis(body, headers)).isEqualTo(expected);
            headers.add("spillway-deliver-at", null);
            assertThat(deliverAtMillis(body, headers)).as("the last one counts").isZero();
        }
        RecordHeaders alone = new RecordHeaders();
        alone.add("spillway-deliver-at", value.getBytes(StandardCharsets.UTF_8));
        assertThat(deliverAtMillis(AVRO, alone)).isEqualTo(expected);
    }

    private static long deliverAtMillis(byte[] value, Headers headers) {
        ParsedRecord read = new ItemReader(ItemSchemas.load(), 1_000_000).read(null, value, headers, Items.TIMESTAMP);
        return ((ParsedRecord.Item) read).deliverAtMillis();
    }
}
