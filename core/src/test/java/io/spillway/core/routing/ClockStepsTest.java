package io.spillway.core.routing;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ClockStepsTest {
    private static final long T0 = 1_800_000_000_000L;
    private static final long DAY = 86_400_000;

    private final ClockSteps steps = new ClockSteps(T0, 0);

    @Test
    void time_that_passes_on_both_clocks_is_no_step() {
        for (long millis = 0; millis < 10 * DAY; millis += 60_000) {
            assertThat(ahead(0, millis)).isZero();
        }
    }

    @Test
    void a_step_of_ten_seconds_is_held_for_ten_minutes() {
        assertThat(ahead(9_999, 1_000)).isZero();
        assertThat(ahead(9_999 + 10_000, 2_000)).isEqualTo(10_000);
        assertThat(ahead(9_999 + 10_000, 601_999)).isEqualTo(10_000);
        assertThat(ahead(9_999 + 10_000, 602_000)).isZero();
        assertThat(ahead(9_999 + 10_000, 700_000)).as("no step again").isZero();
    }

    @Test
    void a_clock_set_right_again_ends_the_hold() {
        assertThat(ahead(DAY, 1_000)).isEqualTo(DAY);
        assertThat(ahead(3_000, 5_000)).as("3 s are left").isZero();
        assertThat(ahead(DAY, 6_000)).isEqualTo(DAY - 3_000);
        assertThat(ahead(DAY - 10_000, 7_000)).as("a step back of ten seconds").isEqualTo(DAY - 13_000);
    }

    @Test
    void steps_add_up_and_a_part_set_back_leaves_the_rest() {
        assertThat(ahead(DAY, 1_000)).isEqualTo(DAY);
        assertThat(ahead(3 * DAY, 2_000)).isEqualTo(3 * DAY);
        assertThat(ahead(2 * DAY, 3_000)).isEqualTo(2 * DAY);
        assertThat(ahead(2 * DAY, 602_000)).as("ten minutes after the last step forward").isZero();
    }

    @Test
    void a_clock_set_back_without_a_step_before_is_ignored() {
        assertThat(ahead(-DAY, 1_000)).isZero();
        assertThat(ahead(-DAY, 2_000)).isZero();
    }

    @Test
    void small_corrections_during_the_hold_change_nothing() {
        assertThat(ahead(DAY, 1_000)).isEqualTo(DAY);
        assertThat(ahead(DAY - 500, 2_000)).isEqualTo(DAY);
        assertThat(ahead(DAY + 500, 3_000)).isEqualTo(DAY);
    }

    @Test
    void a_drift_of_one_in_a_thousand_is_no_step() {
        for (long seconds = 1; seconds < 100_000; seconds++) {
            assertThat(ahead(seconds, seconds * 1_000)).isZero();
        }
    }

    /** Reads the clocks after a time, with the wall clock this much ahead. */
    private long ahead(long aheadMillis, long passedMillis) {
        return steps.aheadMillis(T0 + passedMillis + aheadMillis, passedMillis * 1_000_000);
    }
}
