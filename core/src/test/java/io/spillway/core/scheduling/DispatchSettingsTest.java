package io.spillway.core.scheduling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DispatchSettingsTest {
    @ParameterizedTest
    @CsvSource({
        "0, 0.2, 0.02, 10, 10, 100, slots", "1, 1, 0.02, 10, 10, 100, reserve", "1, NaN, 0, 10, 10, 100, reserve",
        "1, 0.2, 0.6, 10, 10, 100, overflowTrickle", "1, 0.2, 0, 0, 10, 100, readAheadItems",
        "1, 0.2, 0, 10, 0, 100, readAheadBytes", "1, 0.2, 0, 10, 10, 0, hotBufferMillis"})
    void settings_out_of_range_are_rejected_by_name(
            int slots, double reserve, double trickle, int items, long bytes, long buffer, String name) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new DispatchSettings(slots, reserve, trickle, 0.02, items, bytes, buffer, true))
                .withMessageStartingWith(name + " = ");
    }

    @ParameterizedTest
    @CsvSource({"1, 0.2, 0", "2, 0.2, 1", "35, 0.2, 7", "50, 0.2, 10", "50, 0, 0", "51, 0.2, 11"})
    void the_reserve_is_rounded_up_but_never_every_slot(int slots, double reserve, int expected) {
        DispatchSettings settings = new DispatchSettings(slots, reserve, 0, 0, 10, 10, 100, true);
        assertThat(settings.reservedSlots()).isEqualTo(expected);
    }

    @Test
    void the_defaults_are_allowed_for_every_number_of_slots() {
        assertThat(DispatchSettings.of(1).readAheadItems()).isEqualTo(1_000);
        assertThat(DispatchSettings.of(50).readAheadItems()).isEqualTo(2_000);
        assertThat(DispatchSettings.of(100_000).readAheadItems()).isEqualTo(50_000);
    }
}
