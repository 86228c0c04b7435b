package io.spillway.core.scheduling;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RecentPeakTest {
    private static final long SECOND = 1_000_000_000L;

    @Test
    void a_peak_is_remembered_for_at_least_five_seconds_and_forgotten_after_ten() {
        for (int second = 0; second < 5; second++) {
            RecentPeak peak = new RecentPeak();
            peak.note(1, 0);
            peak.note(7, second * SECOND);
            for (int now = 0; now < 20; now++) {
                peak.note(3, now * SECOND);
                double value = peak.value(now * SECOND);
                if (now >= second && now < second + 5) {
                    assertThat(value).as("noted at %d s, asked at %d s", second, now).isEqualTo(7);
                } else if (now >= second + 10) {
                    assertThat(value).as("noted at %d s, asked at %d s", second, now).isEqualTo(3);
                }
            }
        }
    }

    @Test
    void after_a_long_pause_the_peak_is_zero() {
        RecentPeak peak = new RecentPeak();
        peak.note(7, 4 * SECOND);
        assertThat(peak.value(16 * SECOND)).isZero();
    }

    @Test
    void the_origin_of_the_clock_does_not_matter() {
        RecentPeak peak = new RecentPeak();
        peak.note(7, -100 * SECOND);
        assertThat(peak.value(-96 * SECOND)).isEqualTo(7);
        assertThat(peak.value(-80 * SECOND)).isZero();
    }
}
