package io.spillway.core.overload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.spillway.core.item.Lane;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HandlingStatsTest {
    private static final long MILLI = 1_000_000;

    private final HandlingStats pulse = new HandlingStats(0);

    @Test
    void before_the_first_attempt_has_ended_nothing_is_known() {
        assertThat(pulse.report(50, 7, 250 * MILLI)).isEqualTo(new LaneReport(50, 0, 0, 7, 0));
    }

    @Test
    void what_is_possible_follows_from_slots_and_latency() {
        for (int i = 0; i < 20; i++) {
            pulse.ended(100 * MILLI);
        }
        LaneReport report = pulse.report(50, 0, 250 * MILLI);
        assertThat(report.possiblePerSecond()).as("50 slots, 100 ms each").isCloseTo(500, within(1e-6));
        assertThat(report.handledPerSecond()).as("20 in a quarter of a second").isCloseTo(80, within(1e-6));
        assertThat(pulse.report(50, 0, 500 * MILLI).possiblePerSecond()).as("known on").isCloseTo(500, within(1e-6));
    }

    @Test
    void it_follows_when_handlers_become_slow() {
        long nowNanos = 0;
        for (int period = 0; period < 20; period++) {
            for (int i = 0; i < 16; i++) {
                pulse.ended((period < 10 ? 10 : 1_000) * MILLI);
            }
            nowNanos += 250 * MILLI;
            double possible = pulse.report(10, 0, nowNanos).possiblePerSecond();
            if (period == 9) {
                assertThat(possible).isCloseTo(1_000, within(1.0));
            } else if (period == 19) {
                assertThat(possible).as("2.5 s after").isBetween(10.0, 10.2);
            }
        }
    }

    @Test
    void the_age_is_that_of_first_attempts_from_hot_and_one_very_old_item_does_not_speak_for_all() {
        for (int i = 0; i < 999; i++) {
            pulse.begun(Lane.HOT, true, 20);
        }
        pulse.begun(Lane.HOT, true, 86_400_000);
        pulse.begun(Lane.HOT, false, 60_000);
        pulse.begun(Lane.OVERFLOW, true, 60_000);
        pulse.begun(Lane.AGED, true, 600_000);
        assertThat(pulse.report(50, 0, MILLI).ageMillis()).isCloseTo(29.98, within(0.01));
        pulse.begun(Lane.HOT, true, -5);
        assertThat(pulse.report(50, 0, MILLI).ageMillis()).as("of this period, and a clock ahead").isZero();
    }

    @ParameterizedTest
    @CsvSource({"0, 1, 1, 1, 1", "100001, 1, 1, 1, 1", "1, -1, 1, 1, 1", "1, NaN, 1, 1, 1", "1, 1, Infinity, 1, 1",
        "1, 1, 1, -1, 1", "1, 1, 1, 1, NaN"})
    void a_report_out_of_range_is_none(int slots, double possible, double handled, long waiting, double ageMillis) {
        assertThatThrownBy(() -> new LaneReport(slots, possible, handled, waiting, ageMillis))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
