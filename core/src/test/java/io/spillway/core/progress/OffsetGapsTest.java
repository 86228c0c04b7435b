package io.spillway.core.progress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OffsetGapsTest {
    /** The bytes are those of a committed format: another encoding of the same offsets would be read as well. */
    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            # what                                         | offsets         | bytes
            one offset has no distance                     | 1000            | ''
            a distance of one byte                         | 1000 1127       | 7f
            and of two                                     | 1000 1128       | 8001
            three equal ones are as short as their count   | 7 8 9 10        | 010101
            and four are not                               | 7 8 9 10 11     | 010003
            two equal ones of two bytes are as short       | 0 128 256       | 80018001
            and three are not                              | 0 128 256 384   | 80010002
            a run ends with its distance                   | 0 1 2 3 4 6 8   | 0100030202
            """)
    void equal_distances_are_counted_where_that_is_shorter(String what, String text, String bytes) {
        OffsetList offsets = offsets(text);
        ByteBuffer out = ByteBuffer.allocate(16);
        assertThat(OffsetGaps.write(offsets, 100, out)).isEqualTo(offsets.size());
        assertThat(HexFormat.of().formatHex(out.array(), 0, out.position())).isEqualTo(bytes);
        assertThat(OffsetGaps.read(out.flip(), offsets.first(), offsets.last() + 1, 100)).isEqualTo(offsets);
    }

    @ParameterizedTest(name = "{0} offsets in {1} bytes, at most {2}: {3}")
    @CsvSource({
        // A run of 128 distances takes three bytes, of 129 four.
        "129, 3, 1000, 129", "129, 2, 1000, 1", "130, 4, 1000, 130", "130, 3, 1000, 1",
        "129, 3, 128, 128", "129, 0, 1, 1",
    })
    void as_many_are_written_as_fit_and_are_asked_for(int count, int bytes, int most, int written) {
        OffsetList offsets = OffsetList.of(LongStream.range(1_000, 1_000 + count).toArray());
        ByteBuffer out = ByteBuffer.allocate(bytes);
        assertThat(OffsetGaps.write(offsets, most, out)).isEqualTo(written);
        assertThat(OffsetGaps.read(out.flip(), 1_000, 5_000, most).size()).isEqualTo(written);
    }

    @ParameterizedTest(name = "{0} below {1}, at most {2}: {3}")
    @CsvSource({
        // From 7 on: 8, and four more in the same distance.
        "010004, 13, 6, 7 8 9 10 11 12",
        "010004, 12, 6, an offset is not below 12",
        "010004, 13, 5, 'no distance to repeat, or more than 5 offsets'",
        "05,     13, 6, 7 12",
        "06,     13, 6, an offset is not below 13",
        "0004,   13, 6, 'no distance to repeat, or more than 6 offsets'",
    })
    void bytes_that_claim_too_much_are_refused(String bytes, long limit, int most, String expected) {
        ByteBuffer in = ByteBuffer.wrap(HexFormat.of().parseHex(bytes));
        if (Character.isDigit(expected.charAt(0))) {
            assertThat(OffsetGaps.read(in, 7, limit, most)).isEqualTo(offsets(expected));
        } else {
            assertThatIllegalArgumentException().isThrownBy(() -> OffsetGaps.read(in, 7, limit, most))
                    .withMessage(expected);
        }
    }

    @Test
    void the_size_without_repetitions_is_that_of_each_distance() {
        assertThat(OffsetGaps.bytes(OffsetList.of(1_000))).isZero();
        assertThat(OffsetGaps.bytes(OffsetList.of(1_000, 1_001, 1_002, 1_130, 17_514))).isEqualTo(1 + 1 + 2 + 3);
    }

    @ParameterizedTest(name = "{0} offsets over {1}: {2} bytes")
    @CsvSource({
        "10, 0, 0", "10, 9, 9", "10, 100, 10", "10, 127, 10",
        // One distance, or all but a few, can take a second or third byte.
        "10, 128, 11", "10, 640, 15", "10, 16383, 20", "10, 16384, 21", "10, 9223372036854775807, 90",
    })
    void a_span_has_room_for_so_many_wide_distances(int count, long span, long bytes) {
        assertThat(OffsetGaps.mostBytes(count, span)).isEqualTo(bytes);
    }

    private static OffsetList offsets(String text) {
        return OffsetList.of(Arrays.stream(text.split(" ")).mapToLong(Long::parseLong).toArray());
    }
}
