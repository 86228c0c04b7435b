package io.spillway.kafka.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.spillway.Seed;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.HexFormat;
import org.apache.avro.Schema;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.EncoderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AvroSkipTest {
    /** Covers every type that a later version of an item may use, with a value in hexadecimal. */
    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', quoteCharacter = '\'', textBlock = """
            "null"                                                     | ''
            "boolean"                                                  | 01
            "int"                                                      | fffffffF0f
            "long"                                                     | ffffffffffffffffff01
            "float"                                                    | 00000000
            "double"                                                   | 0000000000000000
            "string"                                                   | 06616263
            "bytes"                                                    | 0400ff
            {"type":"fixed","name":"F","size":3}                       | 010203
            {"type":"enum","name":"E","symbols":["A","B"]}             | 02
            ["null","string","long"]                                   | 020261
            {"type":"array","items":"long"}                            | 04020400
            {"type":"array","items":["null","int"]}                    | 0400020200
            {"type":"map","values":"double"}                           | 020261000000000000000000
            {"type":"array","items":{"type":"map","values":"string"}}  | 040202610262000000
            """)
    void a_complete_value_is_skipped_and_a_truncated_one_is_rejected(String schema, String hex) {
        byte[] value = HexFormat.of().parseHex(hex);
        AvroSkip skip = AvroSkip.of(new Schema.Parser().parse(schema));
        AvroCursor cursor = new AvroCursor(Arrays.copyOf(value, value.length + 7), 0);
        skip.over(cursor);
        assertThat(cursor.position()).isEqualTo(value.length);
        assertThat(cursor.remaining()).isEqualTo(7);
        for (int length = 0; length < value.length; length++) {
            AvroCursor cut = new AvroCursor(Arrays.copyOf(value, length), 0);
            assertThatExceptionOfType(UnreadableItem.class).as("%s bytes", length).isThrownBy(() -> skip.over(cut));
        }
    }

    @ParameterizedTest
    @CsvSource({"04", "01", "80808080808000", "8080808010"})
    void an_unknown_union_branch_is_rejected(String hex) {
        AvroSkip skip = AvroSkip.of(new Schema.Parser().parse("[\"null\",\"string\"]"));
        byte[] value = Arrays.copyOf(HexFormat.of().parseHex(hex), 20);
        assertThatExceptionOfType(UnreadableItem.class).isThrownBy(() -> skip.over(new AvroCursor(value, 0)));
    }

    @Test
    void a_nested_record_is_rejected_when_the_schema_is_loaded() {
        Schema record = new Schema.Parser().parse("{\"type\":\"record\",\"name\":\"R\",\"fields\":[]}");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> AvroSkip.of(Schema.createArray(record)))
                .withMessageContaining("cannot be records: R");
    }

    @Test
    void own_records_may_contain_others_whose_fields_are_all_skipped() {
        Schema record = new Schema.Parser().parse("{\"type\":\"record\",\"name\":\"R\",\"fields\":["
                + "{\"name\":\"a\",\"type\":\"string\"},{\"name\":\"b\",\"type\":\"long\"}]}");
        AvroSkip skip = AvroSkip.ofOwn(Schema.createArray(record));
        AvroCursor cursor = new AvroCursor(new byte[] {4, 2, 'x', 10, 0, 12, 0, 7}, 0);
        skip.over(cursor);
        assertThat(cursor.position()).isEqualTo(7);
        assertThatExceptionOfType(UnreadableItem.class)
                .isThrownBy(() -> skip.over(new AvroCursor(new byte[] {2, 4, 'x'}, 0)));
    }

    @Test
    void numbers_written_by_avro_are_read_back() throws IOException {
        Seed seed = new Seed();
        for (int i = 0; i < seed.rounds(10_000); i++) {
            long number = seed.random().nextLong() >> seed.random().nextInt(64);
            int small = (int) number;
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            BinaryEncoder encoder = EncoderFactory.get().binaryEncoder(out, null);
            encoder.writeLong(number);
            encoder.writeInt(small);
            encoder.flush();
            AvroCursor cursor = new AvroCursor(out.toByteArray(), 0);
            assertThat(cursor.readLong()).as(seed.toString()).isEqualTo(number);
            assertThat(cursor.readInt()).as(seed.toString()).isEqualTo(small);
            assertThat(cursor.remaining()).isZero();
        }
    }

    @Test
    void a_long_out_of_the_int_range_is_rejected_as_an_int() {
        byte[] tooLarge = new ItemBytes().number(1L << 31).bytes();
        assertThatExceptionOfType(UnreadableItem.class).isThrownBy(() -> new AvroCursor(tooLarge, 0).readInt());
        assertThat(new AvroCursor(tooLarge, 0).readLong()).isEqualTo(1L << 31);
    }

    @Test
    void errors_have_no_stack_trace() {
        assertThatExceptionOfType(UnreadableItem.class)
                .isThrownBy(() -> new AvroCursor(new byte[0], 0).readLong())
                .satisfies(e -> assertThat(e.getStackTrace()).isEmpty());
    }
}
