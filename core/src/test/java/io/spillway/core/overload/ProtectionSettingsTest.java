package io.spillway.core.overload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ProtectionSettingsTest {
    @ParameterizedTest
    @CsvSource({"0, false", "1.5, true", "4, true", "1000, true"})
    void a_multiple_in_its_range_turns_the_protection_on_and_zero_turns_it_off(double multiple, boolean isOn) {
        assertThat(new ProtectionSettings(multiple, 200).isOn()).isEqualTo(isOn);
    }

    @ParameterizedTest
    @ValueSource(doubles = {-1, 1, 1.49, 1000.01, Double.NaN})
    void any_other_multiple_is_refused(double multiple) {
        assertThatIllegalArgumentException().isThrownBy(() -> new ProtectionSettings(multiple, 200))
                .withMessage("multiple = " + multiple + ": must be 0, or from 1.5 to 1000.0");
    }

    @Test
    void a_target_is_from_ten_milliseconds_to_a_minute() {
        assertThat(new ProtectionSettings(4, 10).targetMillis()).isEqualTo(10);
        assertThat(new ProtectionSettings(4, 60_000).targetMillis()).isEqualTo(60_000);
        for (long wrong : new long[] {9, 60_001}) {
            assertThatIllegalArgumentException().isThrownBy(() -> new ProtectionSettings(4, wrong))
                    .withMessage("target = " + wrong + "ms: must be from 10ms to 60000ms");
        }
    }
}
