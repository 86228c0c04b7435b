package io.spillway.core.overload;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class StallDetectorTest {
    private final StallDetector<String> detector = new StallDetector<>();

    @Test
    void a_stall_lasts_from_its_first_observation_until_the_offset_moves_or_reaches_the_end() {
        // time, readable to, end, duration
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
            assertThat(detector.stalledMillis("hot-1", look[1], look[2], look[0])).as("at %d", look[0])
                    .isEqualTo(look[3]);
        }
    }

    @Test
    void partitions_stall_independently() {
        detector.stalledMillis("hot-1", 5, 9, 0);
        detector.stalledMillis("hot-2", 7, 9, 30_000);
        assertThat(detector.stalledMillis("hot-1", 5, 9, 60_000)).isEqualTo(60_000);
        assertThat(detector.stalledMillis("hot-2", 7, 9, 60_000)).isEqualTo(30_000);
    }

    @Test
    void a_clock_set_back_gives_no_negative_duration() {
        detector.stalledMillis("hot-1", 5, 9, 60_000);
        assertThat(detector.stalledMillis("hot-1", 5, 9, 10_000)).isZero();
    }
}
