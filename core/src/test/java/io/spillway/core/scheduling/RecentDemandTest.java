package io.spillway.core.scheduling;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RecentDemandTest {
    private static final long SECOND = 1_000_000_000L;
    private static final double SOON_MILLIS = 250;

    private final RecentDemand demand = new RecentDemand();

    @Test
    void a_peak_is_remembered_for_at_least_five_seconds_and_forgotten_after_ten() {
        for (int second = 1; second < 6; second++) {
            RecentDemand each = new RecentDemand();
            for (int now = 1; now < 20; now++) {
                each.at(now == second ? 7 : 3, SOON_MILLIS, now * SECOND);
                double most = each.most(now * SECOND);
                if (now >= second && now < second + 5) {
                    assertThat(most).as("needed at %d s, asked at %d s", second, now).isEqualTo(7);
                } else if (now >= second + 10) {
                    assertThat(most).as("needed at %d s, asked at %d s", second, now).isEqualTo(3);
                }
            }
        }
    }

    @Test
    void what_is_needed_for_an_instant_counts_for_its_part_of_the_time() {
        demand.at(0, SOON_MILLIS, 450_000_000);
        demand.at(50, SOON_MILLIS, 500_000_000);
        assertThat(demand.most(500_000_000)).isEqualTo(5);
    }

    @Test
    void after_a_long_pause_the_peak_is_zero() {
        demand.at(7, SOON_MILLIS, 4 * SECOND);
        assertThat(demand.most(16 * SECOND)).isZero();
    }

    @Test
    void the_origin_of_the_clock_does_not_matter() {
        demand.at(3, SOON_MILLIS, -101 * SECOND);
        demand.at(7, SOON_MILLIS, -100 * SECOND);
        assertThat(demand.most(-96 * SECOND)).isEqualTo(7);
        assertThat(demand.most(-80 * SECOND)).isZero();
    }
}
