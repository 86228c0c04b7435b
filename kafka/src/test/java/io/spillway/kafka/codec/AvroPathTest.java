package io.spillway.kafka.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.EncoderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AvroPathTest {
    private static final Schema SCHEMA = new Schema.Parser().parse("""
            {"type": "record", "name": "All", "fields": [
              {"name": "none", "type": "null"},
              {"name": "flag", "type": "boolean"},
              {"name": "small", "type": "int"},
              {"name": "large", "type": "long"},
              {"name": "micros", "type": {"type": "long", "logicalType": "timestamp-micros"}},
              {"name": "half", "type": "float"},
              {"name": "half2", "type": "double"},
              {"name": "raw", "type": "bytes"},
              {"name": "four", "type": {"type": "fixed", "name": "Four", "size": 4}},
              {"name": "kind", "type": {"type": "enum", "name": "Kind", "symbols": ["A", "B"]}},
              {"name": "list", "type": {"type": "array", "items": ["null", "string"]}},
              {"name": "map", "type": {"type": "map", "values": {"type": "array", "items": "int"}}},
              {"name": "inner", "type": {"type": "record", "name": "Inner", "fields": [
                {"name": "text", "type": "string"}, {"name": "next", "type": ["null", "Inner"]}]}},
              {"name": "last", "type": "string"}]}""");

    private final byte[] value = encoded();

    @ParameterizedTest(name = "{0} is {1}")
    @CsvSource({
        "none,", "flag, true", "small, -5", "large, 1099511627776", "micros, 1769846400000", "kind, B", "list/0, zero",
        "list/1,", "list/2, two", "list/3,", "map/b/1, 4", "map/c,", "inner/text, outer", "inner/next/text, within",
        "inner/next/next,", "inner/next/next/text,", "last, end", "missing,", "small/x,", "inner/text/x,"
    })
    void a_field_is_found_behind_values_of_all_types(String path, String text) {
        assertThat(AvroPath.text(SCHEMA, value, 0, List.of(path.split("/")))).hasToString(
                text == null ? "Optional.empty" : "Optional[" + text + "]");
    }

    @ParameterizedTest(name = "{0} is a {1}")
    @CsvSource({
        "half, float", "half2, double", "raw, bytes", "four, fixed", "list, array", "map, map", "inner, record"
    })
    void what_is_no_text_is_refused(String path, String type) {
        assertThatThrownBy(() -> AvroPath.text(SCHEMA, value, 0, List.of(path))).isInstanceOf(UnreadableItem.class)
                .hasMessage("the value has " + type + " at /" + path + ", which is no text or number");
    }

    @Test
    void lengths_and_counts_beyond_the_value_are_neither_allocated_nor_followed() {
        Schema strings = Schema.createArray(Schema.create(Schema.Type.STRING));
        Schema nulls = Schema.createArray(Schema.create(Schema.Type.NULL));
        byte[] most = {-1, -1, -1, -1, -1, -1, -1, -1, -1, 1};
        byte[] least = {-2, -1, -1, -1, -1, -1, -1, -1, -1, 1, 0};
        for (byte[] count : List.of(most, least)) {
            for (Schema schema : List.of(
                    strings, nulls, Schema.createMap(strings), Schema.create(Schema.Type.STRING))) {
                assertThatThrownBy(() -> AvroPath.text(schema, count, 0, List.of("9000000")))
                        .as(schema.toString()).isInstanceOf(UnreadableItem.class);
            }
        }
    }

    /** Ten fields of ten fields and so on, of nothing: 20 levels would be skipped for ever. */
    @Test
    void values_of_a_schema_whose_records_take_no_bytes_are_refused() {
        StringBuilder bomb = new StringBuilder("\"null\"");
        for (int level = 0; level < 20; level++) {
            StringBuilder fields = new StringBuilder("{\"name\": \"f0\", \"type\": " + bomb + "}");
            for (int i = 1; i < 10; i++) {
                fields.append(", {\"name\": \"f").append(i).append("\", \"type\": ")
                        .append(level == 0 ? "\"null\"" : "\"R" + (level - 1) + "\"").append('}');
            }
            bomb = new StringBuilder("{\"type\": \"record\", \"name\": \"R" + level + "\", \"fields\": ["
                    + fields + "]}");
        }
        Schema schema = new Schema.Parser().parse("{\"type\": \"record\", \"name\": \"Root\", \"fields\": ["
                + "{\"name\": \"bomb\", \"type\": " + bomb + "}, {\"name\": \"tenant\", \"type\": \"string\"}]}");

        assertThatThrownBy(() -> AvroPath.text(schema, new byte[] {2, 'a'}, 0, List.of("tenant")))
                .isInstanceOf(UnreadableItem.class).hasMessageContaining("without bytes");
    }

    @Test
    void damaged_values_are_refused_or_read_and_nothing_else_is_thrown() {
        long seed = Long.getLong("spillway.test.seed", System.nanoTime());
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        for (int i = 0; i < 100_000; i++) {
            byte[] damaged = Arrays.copyOf(value, random.nextInt(value.length + 1));
            for (int j = random.nextInt(4); j > 0 && damaged.length > 0; j--) {
                damaged[random.nextInt(damaged.length)] = (byte) random.nextInt();
            }
            try {
                assertThat(AvroPath.text(SCHEMA, damaged, 0, List.of("last"))).isNotNull();
            } catch (UnreadableItem refused) {
                assertThat(refused.getMessage()).isNotEmpty();
            }
        }
    }

    private static byte[] encoded() {
        Schema inner = SCHEMA.getField("inner").schema();
        GenericData.Record within = new GenericData.Record(inner);
        within.put("text", "within");
        GenericData.Record outer = new GenericData.Record(inner);
        outer.put("text", "outer");
        outer.put("next", within);
        GenericData.Record all = new GenericData.Record(SCHEMA);
        Map<String, Object> values = Map.ofEntries(
                Map.entry("flag", true), Map.entry("small", -5), Map.entry("large", 1L << 40),
                Map.entry("micros", 1_769_846_400_000_999L), Map.entry("half", 0.5f), Map.entry("half2", 0.25),
                Map.entry("raw", ByteBuffer.wrap(new byte[300])),
                Map.entry("four", new GenericData.Fixed(SCHEMA.getField("four").schema(), new byte[4])),
                Map.entry("kind", new GenericData.EnumSymbol(SCHEMA.getField("kind").schema(), "B")),
                Map.entry("list", Arrays.asList("zero", null, "two")),
                Map.entry("map", Map.of("a", List.of(1, 2), "b", List.of(3, 4))), Map.entry("inner", outer),
                Map.entry("last", "end"));
        values.forEach(all::put);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try {
            // In blocks with their sizes, which readers may skip.
            BinaryEncoder encoder = new EncoderFactory().configureBlockSize(64).blockingBinaryEncoder(bytes, null);
            new GenericDatumWriter<>(SCHEMA).write(all, encoder);
            encoder.flush();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        return bytes.toByteArray();
    }
}
