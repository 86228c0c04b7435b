package io.spillway.cli.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FittedTableTest {
    private static final FittedTable<String> TABLE = new FittedTable<>(List.of(
            new FittedTable.Column<>("name", 0, row -> row),
            new FittedTable.Column<>("first out", 2, row -> "1"),
            new FittedTable.Column<>("kept", 1, row -> "22")));

    @Test
    void the_first_column_is_aligned_to_the_left_and_numbers_to_the_right() {
        assertThat(TABLE.lines(List.of("a", "longer"), 80)).containsExactly(
                "name    first out  kept",
                "a               1    22",
                "longer          1    22");
    }

    @ParameterizedTest
    @CsvSource({"23, true, true", "22, false, true", "12, false, true", "11, false, false", "1, false, false"})
    void columns_of_low_priority_are_left_out_of_a_narrow_table(int width, boolean hasFirstOut, boolean hasKept) {
        String head = TABLE.lines(List.of("a", "longer"), width).getFirst();

        assertThat(head).startsWith("name");
        assertThat(head.contains("first out")).isEqualTo(hasFirstOut);
        assertThat(head.contains("kept")).isEqualTo(hasKept);
    }
}
