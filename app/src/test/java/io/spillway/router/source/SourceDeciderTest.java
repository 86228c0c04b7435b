package io.spillway.router.source;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.config.SourceSettings;
import io.spillway.core.item.DeadReason;
import io.spillway.core.routing.Route;
import io.spillway.kafka.codec.ItemHeaders;
import io.spillway.router.route.Decision;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.message.BinaryMessageEncoder;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.streams.processor.api.Record;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Fields of items in the records of sources: those that the decider of ingress sees. */
class SourceDeciderTest {
    private static final Decision DECIDED =
            Decision.unreadable(new Route.DeadLetter(DeadReason.ROUTER_ERROR, "asked"), false);

    @TempDir
    Path directory;

    private final Headers headers = new RecordHeaders();
    /** Record that the decider of ingress was asked about. */
    private Record<byte[], byte[]> asked;

    @Test
    void fields_are_in_key_headers_constants_and_the_value() {
        headers.add("kind", bytes("mail")).add("kind", bytes("sms"));
        assertThat(fields("""
                {"customer": {"id": 42}, "at": "2026-01-31T09:00:00+01:00", "due": 1769846400001}""",
                Map.of("format", "json", "tenant", "value:/customer/id", "id", "key", "workload", "header:kind",
                        "priority", "constant:7", "enqueuedAt", "value:/at", "deliverAt", "value:/due",
                        "orderKey", "key", "dedupe", "true")))
                .isEqualTo(Map.of("spillway-tenant", "42", "spillway-id", "key-1", "spillway-workload", "sms",
                        "spillway-priority", "7", "spillway-enqueued-at", "1769846400000",
                        "spillway-deliver-at", "1769846400001", "spillway-order-key", "key-1",
                        "spillway-dedupe", "true"));
    }

    @Test
    void the_first_place_with_a_value_counts_and_a_field_of_the_same_name_in_the_record_does_not() {
        headers.add(ItemHeaders.TENANT, bytes("forged"));
        Map<String, String> settings =
                Map.of("format", "json", "tenant", "value:/a, value:/b, header:c, constant:else");
        assertThat(fields("{\"a\": null, \"b\": \"second\"}", settings))
                .isEqualTo(Map.of("spillway-tenant", "second"));
        assertThat(fields("{\"a\": \"\"}", settings)).isEqualTo(Map.of("spillway-tenant", "else"));
    }

    @Test
    void a_tenant_that_is_no_name_is_encoded() {
        assertThat(fields("{\"tenant\": \"Müller & Söhne\"}", Map.of("format", "json", "tenant", "value:/tenant")))
                .isEqualTo(Map.of("spillway-tenant", "M%C3%BCller%20&%20S%C3%B6hne"));
    }

    @Test
    void optional_fields_that_are_missing_are_not_set() {
        assertThat(fields("{}", Map.of("format", "json", "tenant", "key", "id", "value:/id", "enqueuedAt",
                "header:at"))).isEqualTo(Map.of("spillway-tenant", "key-1"));
    }

    @Test
    void attributes_of_a_cloud_event_are_found_in_both_modes_and_pointers_lead_into_its_data() {
        Map<String, String> settings = Map.of("format", "cloudevents", "tenant", "value:/customer", "id",
                "attribute:id", "workload", "attribute:type");
        headers.add("ce_id", bytes("e-1")).add("ce_type", bytes("paid"));
        Map<String, String> expected =
                Map.of("spillway-tenant", "acme", "spillway-id", "e-1", "spillway-workload", "paid");
        assertThat(fields("{\"customer\": \"acme\"}", settings)).isEqualTo(expected);

        Headers structured = new RecordHeaders().add("content-type", bytes("application/cloudevents+json; charset=u"));
        assertThat(fields(bytes("{\"id\": \"e-1\", \"type\": \"paid\", \"data\": {\"customer\": \"acme\"}}"),
                structured, settings)).isEqualTo(expected);
    }

    @Test
    void fields_of_avro_values_are_read_by_the_schema_of_their_writer() throws Exception {
        Schema schema = new Schema.Parser().parse("""
                {"type": "record", "name": "Order", "fields": [
                  {"name": "ids", "type": {"type": "array", "items": "long"}},
                  {"name": "at", "type": {"type": "long", "logicalType": "timestamp-micros"}},
                  {"name": "tags", "type": {"type": "map", "values": "string"}}]}""");
        Path file = Files.writeString(directory.resolve("order.avsc"), schema.toString());
        GenericData.Record order = new GenericData.Record(schema);
        order.put("ids", java.util.List.of(5L, 6L));
        order.put("at", 1_769_846_400_000_000L);
        order.put("tags", Map.of("tenant", "acme"));
        ByteArrayOutputStream encoded = new ByteArrayOutputStream();
        new BinaryMessageEncoder<>(GenericData.get(), schema).encode(order, encoded);
        Map<String, String> settings = Map.of("format", "avro", "schemas", file.toString(), "tenant",
                "value:/tags/tenant", "id", "value:/ids/1", "enqueuedAt", "value:/at", "workload", "value:/none/x");
        assertThat(fields(encoded.toByteArray(), headers, settings)).isEqualTo(Map.of("spillway-tenant", "acme",
                "spillway-id", "6", "spillway-enqueued-at", "1769846400000"));

        byte[] cut = java.util.Arrays.copyOf(encoded.toByteArray(), encoded.size() - 3);
        assertThat(refusal(cut, settings).reason()).isEqualTo(DeadReason.MALFORMED);
        byte[] other = encoded.toByteArray();
        other[5]++;
        assertThat(refusal(other, settings).reason()).isEqualTo(DeadReason.UNKNOWN_SCHEMA);
    }

    @ParameterizedTest(name = "{0} with the tenant at {1}")
    @CsvSource(delimiter = '|', value = {
        "{}                   | value:/tenant | BAD_TENANT | the record has no tenant where its source has one",
        "{\"tenant\": {}}     | value:/tenant | MALFORMED  | the value has an object at /tenant",
        "{\"tenant\": [1]}    | value:/tenant | MALFORMED  | the value has a list at /tenant",
        "{\"tenant\": \"a\"   | value:/tenant | MALFORMED  | the value is not JSON",
        "{} {}                | value:/tenant | MALFORMED  | the value is not JSON",
        "''                   | value:/tenant | MALFORMED  | the value is empty and not JSON",
        "{}                   | header:none   | BAD_TENANT | the record has no tenant where its source has one",
        "{}                   | header:binary | MALFORMED  | is not text in UTF-8"
    })
    void a_record_without_a_tenant_or_of_another_format_is_a_dead_letter(
            String value, String tenant, DeadReason reason, String detail) {
        headers.add("binary", new byte[] {(byte) 0xff});
        Route.DeadLetter dead = refusal(bytes(value), Map.of("format", "json", "tenant", tenant));
        assertThat(dead.reason()).isEqualTo(reason);
        assertThat(dead.detail()).contains(detail);
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource({"soon", "2026-01-31", "2026-01-31T08:00:00", "1-2", "12.5", "+999999999-12-31T23:59:59Z"})
    void a_time_without_a_zone_is_a_dead_letter(String time) {
        Map<String, String> settings = Map.of("format", "json", "tenant", "key", "deliverAt", "value:/at");
        assertThat(refusal(bytes("{\"at\": \"" + time + "\"}"), settings).reason())
                .isEqualTo(DeadReason.BAD_DELIVER_AT);
    }

    @Test
    void a_value_that_is_null_is_left_to_the_decider_of_ingress() {
        assertThat(decide(null, headers, Map.of("tenant", "key")).route()).isEqualTo(DECIDED.route());
    }

    private Map<String, String> fields(String value, Map<String, String> settings) {
        return fields(bytes(value), headers, settings);
    }

    /** Returns Spillway's headers of the record as the decider of ingress gets it. */
    private Map<String, String> fields(byte[] value, Headers headers, Map<String, String> settings) {
        assertThat(decide(value, headers, settings).route()).isEqualTo(DECIDED.route());
        return StreamSupport.stream(asked.headers().spliterator(), false)
                .filter(header -> header.key().startsWith("spillway-")).collect(Collectors.toMap(
                        header -> header.key(), header -> new String(header.value(), StandardCharsets.UTF_8)));
    }

    private Route.DeadLetter refusal(byte[] value, Map<String, String> settings) {
        return (Route.DeadLetter) decide(value, headers, settings).route();
    }

    private Decision decide(byte[] value, Headers headers, Map<String, String> settings) {
        Map<String, String> all = new HashMap<>(Map.of("s.topic", "t"));
        settings.forEach((key, text) -> all.put("s." + key, text));
        SourceSettings source = SourceSettings.parse(all).get("s");
        return new SourceDecider(source, (record, nowMillis) -> {
            asked = record;
            return DECIDED;
        }).decide(new Record<>(bytes("key-1"), value, 0, headers), 0);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
