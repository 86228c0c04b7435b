package io.spillway.core.overload;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class StallDetectorTest {
    private final StallDetector<String> watch = new StallDetector<>();

    @Test
    void a_place_stands_from_when_it_was_first_seen_so_and_until_it_moves_or_nothing_is_behind_it() {
        // time, readable to, end, stands for
        long[][] timeline = {
            {1_000, 50, 50, 0},
            {11_000, 60, 75, 0},
            {21_000, 60, 80, 10_000},
            {31_000, 60, 90, 20_000},
            {41_000, 61, 90, 0},
            {51_000, 61, 90, 10_000},
            {61_000, 90, 90, 0},
            {71_000, 90, 91, 0},
            {81_000, 90, 95, 10_000},
        };
        for (long[] look : timeline) {
            assertThat(watch.standsForMillis("hot-1", look[1], look[2], look[0])).as("at %d", look[0]).isEqualTo(look[3]);
        }
    }

    @Test
    void places_stand_each_for_itself() {
        watch.standsForMillis("hot-1", 5, 9, 0);
        watch.standsForMillis("hot-2", 7, 9, 30_000);
        assertThat(watch.standsForMillis("hot-1", 5, 9, 60_000)).isEqualTo(60_000);
        assertThat(watch.standsForMillis("hot-2", 7, 9, 60_000)).isEqualTo(30_000);
    }

    @Test
    void a_clock_that_is_set_back_makes_no_negative_times() {
        watch.standsForMillis("hot-1", 5, 9, 60_000);
        assertThat(watch.standsForMillis("hot-1", 5, 9, 10_000)).isZero();
    }
}
