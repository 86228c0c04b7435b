package io.spillway.core.retry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class DecayingCountTest {
    private static final long NOW = 1_800_000_000_000L;
    private static final long HOUR = 3_600_000;

    private final DecayingCount count = new DecayingCount(1_000);

    @Test
    void it_decays_from_the_last_event() {
        count.add(100, NOW);
        assertThat(count.at(NOW + 1_000)).isCloseTo(100 / Math.E, within(1e-9));
        count.add(100, NOW + 1_000);
        assertThat(count.at(NOW + 1_000)).isCloseTo(100 + 100 / Math.E, within(1e-9));
    }

    @Test
    void an_event_that_is_reported_a_little_late_counts_as_one_of_now() {
        count.add(100, NOW);
        count.add(100, NOW - 1_000);
        assertThat(count.at(NOW)).isEqualTo(200);
    }

    @Test
    void it_goes_on_decaying_when_the_clock_is_set_back() {
        count.add(100, NOW);
        for (int second = 0; second < 100; second++) {
            count.add(10, NOW - HOUR + 1_000 * second);
        }
        assertThat(count.at(NOW - HOUR + 100_000)).isCloseTo(10 / (Math.E - 1), within(1e-6));
    }
}
