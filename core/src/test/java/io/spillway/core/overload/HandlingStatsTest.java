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

    private final HandlingStats stats = new HandlingStats(0);

    @Test
    void the_capacity_is_unknown_before_the_first_attempt_ends() {
        assertThat(stats.report(50, 7, 250 * MILLI)).isEqualTo(new LaneReport(50, 0, 0, 7, 0));
    }

    @Test
    void the_capacity_is_slots_divided_by_latency() {
        for (int i = 0; i < 20; i++) {
            stats.ended(100 * MILLI);
        }
        LaneReport report = stats.report(50, 0, 250 * MILLI);
        assertThat(report.possiblePerSecond()).as("50 slots, 100 ms each").isCloseTo(500, within(1e-6));
        assertThat(report.handledPerSecond()).as("20 in a quarter of a second").isCloseTo(80, within(1e-6));
        assertThat(stats.report(50, 0, 500 * MILLI).possiblePerSecond()).as("without new attempts")
                .isCloseTo(500, within(1e-6));
    }

    @Test
    void the_capacity_follows_slower_handlers() {
        long nowNanos = 0;
        for (int period = 0; period < 20; period++) {
            for (int i = 0; i < 16; i++) {
                stats.ended((period < 10 ? 10 : 1_000) * MILLI);
            }
            nowNanos += 250 * MILLI;
            double possible = stats.report(10, 0, nowNanos).possiblePerSecond();
            if (period == 9) {
                assertThat(possible).isCloseTo(1_000, within(1.0));
            } else if (period == 19) {
                assertThat(possible).as("2.5 s after").isBetween(10.0, 10.2);
            }
        }
    }

    @Test
    void the_age_is_of_first_attempts_in_hot_and_one_very_old_item_is_bounded() {
        for (int i = 0; i < 999; i++) {
            stats.begun(Lane.HOT, true, 20);
        }
        stats.begun(Lane.HOT, true, 86_400_000);
        stats.begun(Lane.HOT, false, 60_000);
        stats.begun(Lane.OVERFLOW, true, 60_000);
        stats.begun(Lane.AGED, true, 600_000);
        assertThat(stats.report(50, 0, MILLI).ageMillis()).isCloseTo(29.98, within(0.01));
        stats.begun(Lane.HOT, true, -5);
        assertThat(stats.report(50, 0, MILLI).ageMillis()).as("only this period, clock ahead").isZero();
    }

    @ParameterizedTest
    @CsvSource({"0, 1, 1, 1, 1", "100001, 1, 1, 1, 1", "1, -1, 1, 1, 1", "1, NaN, 1, 1, 1", "1, 1, Infinity, 1, 1",
        "1, 1, 1, -1, 1", "1, 1, 1, 1, NaN"})
    void a_report_out_of_range_is_rejected(int slots, double possible, double handled, long waiting, double ageMillis) {
        assertThatThrownBy(() -> new LaneReport(slots, possible, handled, waiting, ageMillis))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
