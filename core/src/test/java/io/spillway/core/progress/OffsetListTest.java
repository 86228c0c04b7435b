package io.spillway.core.progress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OffsetListTest {
    @ParameterizedTest
    @CsvSource({"7, 7", "7, 6", "-1, 0"})
    void offsets_ascend_from_0_without_duplicates(long first, long second) {
        assertThatIllegalArgumentException().isThrownBy(() -> OffsetList.of(first, second))
                .withMessageEndingWith("must ascend from 0");
    }

    @Test
    void lists_of_the_same_offsets_are_equal() {
        assertThat(OffsetList.of(0, 7, 9)).isEqualTo(OffsetList.of(0, 7, 9)).hasSameHashCodeAs(OffsetList.of(0, 7, 9))
                .isNotEqualTo(OffsetList.of(0, 7)).isNotEqualTo(OffsetList.of(0, 8, 9)).isNotEqualTo(OffsetList.EMPTY);
        assertThat(OffsetList.of(0, 8, 9)).as("or a set of them would be slow")
                .doesNotHaveSameHashCodeAs(OffsetList.of(0, 7, 9));
    }

    @Test
    void the_given_and_the_returned_array_are_copies() {
        long[] offsets = {7, 9};
        OffsetList list = OffsetList.of(offsets);
        offsets[0] = 1;
        list.toArray()[1] = 1;
        assertThat(list).isEqualTo(OffsetList.of(7, 9));
    }

    @Test
    void a_log_line_has_a_short_text_of_any_number_of_offsets() {
        assertThat(OffsetList.EMPTY).hasToString("none");
        assertThat(OffsetList.of(7)).hasToString("7");
        assertThat(OffsetList.of(7, 9, 300)).hasToString("3 from 7 to 300");
    }
}
