package io.spillway.core.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class LaneFlowTest {
    @Test
    void the_rates_and_forecast_of_a_steady_flow_follow_from_its_totals() {
        LaneFlow flow = LaneFlow.startingAt(10_000, 4_000, 0);
        assertThat(flow.waiting()).isEqualTo(6_000);
        assertThat(flow.drain()).as("nothing is known of its rates yet").isEqualTo(new Drain.Never());
        for (int second = 1; second <= 300; second++) {
            flow = flow.after(10_000 + 20L * second, 4_000 + 30L * second, second * 1_000L);
        }
        assertThat(flow.waiting()).isEqualTo(3_000);
        assertThat(flow.rates().inPerSecond()).isCloseTo(20, within(0.01));
        assertThat(flow.rates().outPerSecond()).isCloseTo(30, within(0.01));
        assertThat(flow.drain().seconds()).isCloseTo(300, within(0.1));
    }

    @Test
    void the_first_observation_counts_in_full_so_that_the_forecast_is_correct_at_once() {
        LaneFlow flow = LaneFlow.startingAt(1_000, 0, 0);
        for (int second = 1; second <= 60; second++) {
            flow = flow.after(1_000, 10L * second, second * 1_000L);
            assertThat(flow.drain().seconds()).as("at second %d", second)
                    .isCloseTo((1_000 - 10.0 * second) / 10, within(1e-6));
        }
    }

    @Test
    void smaller_totals_are_no_movement() {
        LaneFlow flow = LaneFlow.startingAt(1_000, 900, 0).after(100, 80, 1_000);
        assertThat(flow.rates()).isEqualTo(new FlowRates(0, 0, 1_000));
        assertThat(flow.waiting()).isEqualTo(20);
    }
}
