package io.spillway.core.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DrainTest {
    /** The third row is Yanacek's spike: 30 minutes of ten times the capacity of 1, then arrivals of 1/10 of it. */
    @ParameterizedTest
    @CsvSource({
        // waiting, in, out, seconds
        "0,      5,    1,   0",
        "100,    0,    10,  10",
        "16200,  0.1,  1,   18000",
        "100,    10,   10,  Infinity",
        "100,    11,   10,  Infinity",
        "100,    0,    0,   Infinity",
        "1,      0,    1e-9, Infinity",
        "-3,     0,    0,   0",
    })
    void a_backlog_is_gone_after_waiting_over_out_minus_in(long waiting, double in, double out, double seconds) {
        assertThat(Drain.of(waiting, in, out).seconds()).isEqualTo(seconds);
    }

    @ParameterizedTest
    @CsvSource({
        "10,  20000, false",
        "10,  9999,  true",
        "10,  10000, false",
        "0,   1,     false",
        "1e9, 9223372036854775807, false",
    })
    void it_is_late_when_it_outlasts_the_items_time_to_live(double seconds, long ttlMillis, boolean late) {
        assertThat(Drain.of((long) seconds, 0, 1).isLaterThan(ttlMillis)).isEqualTo(late);
    }

    @Test
    void never_is_late_for_items_that_expire_and_for_no_others() {
        assertThat(new Drain.Never().isLaterThan(Long.MAX_VALUE - 1)).isTrue();
        assertThat(new Drain.Never().isLaterThan(Long.MAX_VALUE)).isFalse();
    }

    @Test
    void rates_follow_a_steady_flow_within_two_memories_and_forget_it_when_it_ends() {
        FlowRates rates = FlowRates.startingAt(0);
        for (int second = 1; second <= 60; second++) {
            rates = rates.after(200, 50, second * 1_000L);
        }
        assertThat(rates.inPerSecond()).isCloseTo(200 * (1 - Math.exp(-2)), within(0.01));
        assertThat(rates.outPerSecond()).isCloseTo(50 * (1 - Math.exp(-2)), within(0.01));
        assertThat(rates.at(90_000).inPerSecond()).isCloseTo(rates.inPerSecond() / Math.E, within(0.01));
        assertThat(rates.at(60_000)).isEqualTo(rates);
        assertThat(rates.at(0)).isEqualTo(rates);
    }

    @Test
    void it_does_not_matter_in_how_many_parts_an_even_flow_is_observed() {
        FlowRates once = FlowRates.startingAt(0).after(1_000, 0, 10_000);
        FlowRates often = FlowRates.startingAt(0);
        for (int i = 1; i <= 100; i++) {
            often = often.after(10, 0, i * 100L);
        }
        assertThat(often.inPerSecond()).isCloseTo(once.inPerSecond(), within(1e-9));
    }

    @Test
    void a_clock_that_stops_or_steps_back_does_no_harm() {
        FlowRates rates = FlowRates.startingAt(1_000).after(10, 5, 1_000).after(10, 5, 500);
        assertThat(rates.inPerSecond()).isFinite().isPositive();
        assertThat(rates.atMillis()).isEqualTo(1_002);
    }
}
