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
        "315576000, 0, 1,    315576000",
        "315576001, 0, 1,    Infinity",
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

    /** The memory is the time of 10 items, from 3 s to 30 s. */
    @ParameterizedTest
    @CsvSource({"200, 1, 3", "4, 1, 3", "1, 1, 10", "1, 2, 20", "1, 3, 30", "1, 10, 30"})
    void rates_approach_a_new_flow_within_a_memory_by_all_but_one_part_in_e(
            long items, int everySeconds, int memorySeconds) {
        double perSecond = (double) items / everySeconds;
        FlowRates rates = FlowRates.between(-1_000L * everySeconds, 0, items, items);
        long oneLater = 1_000L * memorySeconds;
        FlowRates later = rates.after(2 * items * memorySeconds / everySeconds, 0, oneLater);
        assertThat(later.inPerSecond()).isCloseTo(perSecond * (2 - 1 / Math.E), within(0.05 * perSecond));
        assertThat(later.outPerSecond()).isCloseTo(perSecond / Math.E, within(1e-9));
        assertThat(rates.at(oneLater).inPerSecond()).isCloseTo(perSecond / Math.E, within(1e-9));
        assertThat(later.at(oneLater)).isEqualTo(later);
        assertThat(later.at(0)).isEqualTo(later);
    }

    @Test
    void it_does_not_matter_in_how_many_parts_an_even_flow_is_observed() {
        FlowRates before = FlowRates.between(-1_000, 0, 50, 0);
        FlowRates once = before.after(1_000, 0, 10_000);
        FlowRates often = before;
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
