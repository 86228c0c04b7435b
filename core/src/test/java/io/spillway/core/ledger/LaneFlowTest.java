package io.spillway.core.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.spillway.core.item.ItemState;
import java.util.EnumMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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
    void the_rates_of_a_steady_flow_stay_what_they_are_when_the_clock_is_set_back() {
        LaneFlow flow = LaneFlow.startingAt(0, 0, 0);
        for (int second = 1; second <= 1_200; second++) {
            long clockMillis = second * 1_000L - (second > 600 ? 3_600_000 : 0);
            flow = flow.after(100L * second, 50L * second, clockMillis);
            assertThat(flow.rates().inPerSecond()).as("at second %d", second).isCloseTo(100, within(1.0));
            assertThat(flow.rates().outPerSecond()).as("at second %d", second).isCloseTo(50, within(1.0));
        }
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

    /** Without noticing that the inflow has stopped it was 7 s, 12 s and 3 s until it was finite. */
    @ParameterizedTest
    @CsvSource({
        // items that come and go per second for a minute; seconds until the forecast is finite, and within a tenth
        "1000, 100, 2, 2",
        "500, 10, 2, 2",
        "200, 100, 2, 2",
    })
    void after_input_stops_the_forecast_is_right_within_seconds(long in, long out, int finite, int exact) {
        LaneFlow flow = LaneFlow.startingAt(0, 0, 0);
        int firstFinite = 0;
        int firstExact = 0;
        for (int second = 1; second <= 115; second++) {
            flow = flow.after(in * Math.min(60, second), out * second, second * 1_000L);
            double seconds = flow.drain().seconds();
            if (second <= 60) {
                assertThat(seconds).as("at second %d", second).isInfinite();
            } else {
                firstFinite = Double.isInfinite(seconds) ? 0 : firstFinite == 0 ? second - 60 : firstFinite;
                boolean isExact = Math.abs(seconds * out / flow.waiting() - 1) < 0.1;
                firstExact = !isExact ? 0 : firstExact == 0 ? second - 60 : firstExact;
            }
        }
        assertThat(firstFinite).isEqualTo(finite);
        assertThat(firstExact).isEqualTo(exact);
    }

    /** Batches of a commit every so often, late ones included, of 1,000 items/s that enter and 100 that leave. */
    @ParameterizedTest
    @CsvSource({"1", "2"})
    void a_steady_inflow_in_batches_never_seems_to_stop(int everySeconds) {
        LaneFlow flow = LaneFlow.startingAt(0, 0, 0);
        for (int second = 1; second <= 600; second++) {
            flow = flow.after(1_000L * everySeconds * (second / everySeconds), 100L * second, second * 1_000L);
            if (second >= 4) {
                assertThat(flow.drain()).as("at second %d", second).isEqualTo(new Drain.Never());
            }
        }
    }

    /** A tenant's rates start at 0. Ten thousand items come in the first second, and 100 leave per second. */
    @Test
    void the_forecast_of_a_new_tenants_backlog_is_right_within_seconds() {
        FlowRates rates = FlowRates.startingAt(0);
        String factors = "";
        for (int second = 1; second <= 10; second++) {
            rates = rates.after(second == 1 ? 10_000 : 0, 100, second * 1_000L);
            factors += "%.1f ".formatted(Drain.of(100, rates).seconds());
        }
        assertThat(factors).as("times the right time, by second")
                .isEqualTo("Infinity Infinity 2.0 1.6 1.3 1.2 1.2 1.1 1.1 1.1 ");
    }

    /** The ledger is late by 5 s: nothing seems to enter or leave. */
    @Test
    void a_pause_of_all_flow_is_no_end_of_the_inflow() {
        FlowRates rates = FlowRates.between(0, 1_000, 1_000, 100);
        assertThat(Drain.of(900, rates.at(6_000))).isEqualTo(new Drain.Never());
        assertThat(Drain.of(900, rates.after(5_000, 500, 6_000))).isEqualTo(new Drain.Never());
    }

    @Test
    void a_flow_of_one_item_in_ten_seconds_has_a_steady_forecast() {
        LaneFlow flow = LaneFlow.startingAt(1_000, 0, 0);
        for (int second = 1; second <= 600; second++) {
            flow = flow.after(1_000, second / 10, second * 1_000L);
            if (second > 60) {
                assertThat(flow.drain().seconds() * 0.1 / flow.waiting()).as("at second %d", second)
                        .isBetween(0.75, 1.35);
            }
        }
    }

    /** Nothing leaves the delay lane, and nothing is known of the overflow lane. */
    @ParameterizedTest(name = "the sum {0} s, hot {1} s")
    @CsvSource({"5, 10, 10", "20, 10, 20"})
    void a_queue_is_gone_with_its_last_lane_but_what_is_in_delay_has_no_forecast(
            double sum, long hot, double expected) {
        Map<ItemState, LaneFlow> lanes = new EnumMap<>(ItemState.class);
        lanes.put(ItemState.HOT, LaneFlow.startingAt(100 * (hot + 1), 0, 0).after(100 * (hot + 1), 100, 1_000));
        lanes.put(ItemState.OVERFLOW, LaneFlow.startingAt(1_000, 0, 0));
        lanes.put(ItemState.DELAY, LaneFlow.startingAt(1_000, 0, 0).after(1_000, 0, 1_000));
        assertThat(LaneFlow.latest(new Drain.After(sum), lanes)).isEqualTo(new Drain.After(expected));
        assertThat(lanes.get(ItemState.HOT).drain(ItemState.HOT)).isEqualTo(new Drain.After(hot));
        assertThat(lanes.get(ItemState.DELAY).drain(ItemState.DELAY)).isEqualTo(new Drain.Gone());
    }

    @Test
    void smaller_totals_are_no_movement() {
        LaneFlow flow = LaneFlow.startingAt(1_000, 900, 0).after(100, 80, 1_000);
        assertThat(flow.rates()).isEqualTo(new FlowRates(0, 0, 1_000));
        assertThat(flow.waiting()).isEqualTo(20);
    }
}
