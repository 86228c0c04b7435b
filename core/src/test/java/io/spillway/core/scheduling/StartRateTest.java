package io.spillway.core.scheduling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StartRateTest {
    private static final long MILLI = 1_000_000;
    private static final long SECOND = 1_000 * MILLI;

    /** Any origin. */
    private long nowNanos = -5 * SECOND;

    @ParameterizedTest
    @CsvSource({"0.001, 1", "0.0001, 1", "2.5, 2500", "1000000, 1000000000", "Infinity, 2147483647"})
    void a_rate_is_kept_in_thousandths(double perSecond, int thousandths) {
        assertThat(StartRate.thousandths(perSecond)).isEqualTo(thousandths);
    }

    @Test
    void a_working_destination_gets_its_rate_and_never_more_in_any_second() {
        StartRate rate = rate(50);
        startsOf(rate, 10, true);

        List<Integer> starts = startsOf(rate, 60, true);

        assertThat(starts).allSatisfy(each -> assertThat(each).isBetween(49, 51));
        assertThat(sum(starts)).isCloseTo(3_000, within(3));
    }

    @Test
    void after_an_idle_time_it_starts_at_a_tenth_and_doubles_each_second() {
        StartRate rate = rate(200);
        startsOf(rate, 10, true);
        nowNanos += 30 * SECOND;

        assertThat(startsOf(rate, 6, true).stream().map(each -> Math.round(each / 10.0) * 10).toList())
                .containsExactly(30L, 60L, 120L, 190L, 200L, 200L);
    }

    @Test
    void while_nothing_succeeds_it_stays_at_a_tenth() {
        StartRate rate = rate(200);
        startsOf(rate, 10, true);

        List<Integer> starts = startsOf(rate, 60, false);

        assertThat(starts.subList(0, 25)).as("as before, in case a few fail").allMatch(each -> each > 190);
        assertThat(starts.subList(35, 60)).allSatisfy(each -> assertThat(each).isBetween(19, 21));
    }

    @ParameterizedTest
    @CsvSource({"5, 1", "1, 1", "0.2, 0.2", "0.01, 0.01"})
    void a_low_rate_starts_with_one_a_second(double perSecond, double first) {
        StartRate rate = rate(perSecond);

        assertThat(sum(startsOf(rate, 1_000, false)) / 1_000.0).isCloseTo(first, within(0.002));
    }

    @Test
    void a_success_each_minute_is_enough_where_the_rate_allows_no_more() {
        StartRate rate = rate(0.5);
        MaxMinSlots oneOfMany = new MaxMinSlots("1", members(24), 0);
        rate.follow("acme", 500, oneOfMany);

        List<Integer> starts = startsOf(rate, 2_000, true);

        assertThat(sum(starts)).as("a 24th of the rate").isCloseTo(2_000 * 20 / 1_000, within(2));
    }

    @Test
    void a_worker_that_has_worked_for_long_and_gets_no_part_of_the_rate_waits_and_goes_on_with_the_next_part() {
        StartRate rate = rate(100);
        startsOf(rate, 1_100, true);
        MaxMinSlots otherNeedsAll = new MaxMinSlots(
                "1", Map.of("2", Map.of("/acme", new MaxMinSlots.Demand(100_000, 100_000))), 0);
        rate.follow("acme", 100_000, otherNeedsAll);
        rate.started(nowNanos);
        nowNanos += SECOND;
        assertThat(rate.mayStart(nowNanos)).isFalse();
        assertThat(rate.nextNanos(nowNanos)).isGreaterThan(nowNanos);

        rate.follow("acme", 100_000, MaxMinSlots.ALONE);
        assertThat(sum(startsOf(rate, 10, true))).isCloseTo(1_000, within(3));
    }

    @Test
    void a_start_without_an_attempt_is_given_back() {
        StartRate rate = rate(1);
        rate.started(nowNanos);
        assertThat(rate.mayStart(nowNanos)).isFalse();

        rate.cancelled();

        assertThat(rate.mayStart(nowNanos)).isTrue();
    }

    @Test
    void it_wants_what_its_items_can_use_until_the_next_exchange_and_claims_its_part() {
        StartRate rate = rate(10);

        assertThat(rate.demand(0)).isEqualTo(new MaxMinSlots.Demand(0, 10_000));
        assertThat(rate.demand(3)).isEqualTo(new MaxMinSlots.Demand(6_000, 10_000));
        assertThat(rate.demand(1_000)).isEqualTo(new MaxMinSlots.Demand(10_000, 10_000));
        rate.started(nowNanos);
        assertThat(rate.demand(0)).as("what it has started").isEqualTo(new MaxMinSlots.Demand(2_000, 10_000));
    }

    private static StartRate rate(double perSecond) {
        StartRate rate = new StartRate();
        rate.follow("acme", StartRate.thousandths(perSecond), MaxMinSlots.ALONE);
        return rate;
    }

    private static Map<String, Map<String, MaxMinSlots.Demand>> members(int count) {
        Map<String, Map<String, MaxMinSlots.Demand>> members = new HashMap<>();
        for (int i = 1; i <= count; i++) {
            members.put(Integer.toString(i), Map.of("/acme", new MaxMinSlots.Demand(1_000_000, 20)));
        }
        return members;
    }

    /** Starts as often as it is allowed, and returns the starts of each second. */
    private List<Integer> startsOf(StartRate rate, int seconds, boolean works) {
        List<Integer> starts = new ArrayList<>();
        for (int i = 0; i < seconds; i++) {
            long endNanos = nowNanos + SECOND;
            int count = 0;
            while (nowNanos < endNanos) {
                while (rate.mayStart(nowNanos)) {
                    rate.started(nowNanos);
                    count++;
                    if (works) {
                        rate.worked(nowNanos);
                    }
                }
                nowNanos = Math.min(endNanos, rate.nextNanos(nowNanos));
            }
            starts.add(count);
        }
        return starts;
    }

    private static int sum(List<Integer> starts) {
        return starts.stream().mapToInt(Integer::intValue).sum();
    }
}
