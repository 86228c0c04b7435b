package io.spillway.core.item;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.core.item.ItemDrill.Fault;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ItemDrillTest {
    @ParameterizedTest
    @CsvSource({"999, NONE, 50", "1000, SLOW, 700", "1999, SLOW, 700", "2000, NONE, 50"})
    void an_attempt_that_begins_within_the_window_has_the_fault(long nowMillis, Fault fault, long millis) {
        ItemDrill drill = new ItemDrill(50, Fault.SLOW, 700, 1_000, 2_000);
        assertThat(drill.at(nowMillis)).isEqualTo(fault);
        assertThat(drill.millis(nowMillis)).isEqualTo(millis);
    }

    @ParameterizedTest
    @ValueSource(strings = {"50 slow 700 1000 2000", "0 none 0 0 0", "5 kill 5 1800000000000 1800000002000"})
    void its_text_is_read_again(String text) {
        assertThat(ItemDrill.parse(text)).get().hasToString(text);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "50", "50 slow 700 1000", "50 slow 700 1000 2000 1", "50 burn 700 1000 2000",
        "-1 slow 700 1000 2000", "50 slow 600001 1000 2000", "50 slow 700 2000 1000", "x slow 700 1000 2000",
        "50 slow 700 1000 99999999999999999999", "50 slow 700 -1 1000"})
    void any_other_text_is_none(String text) {
        assertThat(ItemDrill.parse(text)).isEmpty();
        assertThat(ItemDrill.parse(text + " ".repeat(1_000))).isEmpty();
    }

    @Test
    void a_number_out_of_its_range_is_refused() {
        assertThatThrownBy(() -> ItemDrill.of(ItemDrill.MAX_MILLIS + 1)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("600001");
    }
}
