package io.spillway.core.overload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.spillway.core.item.Lane;
import io.spillway.core.progress.SuspectStatus;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HandlingStatsTest {
    private static final long MILLI = 1_000_000;
    private static final Map<Lane, Set<Integer>> OWNED = Map.of(Lane.HOT, Set.of(1, 3));

    private final HandlingStats stats = new HandlingStats(0);

    @Test
    void the_capacity_is_unknown_before_the_first_attempt_ends() {
        assertThat(stats.report(50, 7, OWNED, 250 * MILLI)).isEqualTo(new WorkerReport(50, 0, 0, 0, 7, 0, OWNED));
    }

    @Test
    void the_capacity_is_slots_divided_by_latency() {
        for (int i = 0; i < 20; i++) {
            stats.ended(Lane.OVERFLOW, 100 * MILLI);
        }
        WorkerReport report = stats.report(50, 0, OWNED, 250 * MILLI);
        assertThat(report.possiblePerSecond()).as("50 slots, 100 ms each").isCloseTo(500, within(1e-6));
        assertThat(report.handledPerSecond()).as("20 in a quarter of a second").isCloseTo(80, within(1e-6));
        assertThat(stats.report(50, 0, OWNED, 500 * MILLI).possiblePerSecond()).as("without new attempts")
                .isCloseTo(500, within(1e-6));
    }

    @Test
    void slow_items_of_overflow_leave_the_capacity_of_hot_as_it_is() {
        for (int i = 0; i < 5; i++) {
            stats.ended(Lane.OVERFLOW, 500 * MILLI);
        }
        assertThat(stats.report(10, 0, OWNED, 250 * MILLI).hotPerSecond()).as("before the first item of hot")
                .isCloseTo(20, within(1e-6));
        for (int i = 0; i < 200; i++) {
            stats.ended(i % 20 == 0 ? Lane.HOT : Lane.OVERFLOW, (i % 20 == 0 ? 2 : 500) * MILLI);
        }
        WorkerReport report = stats.report(10, 0, OWNED, 10_250 * MILLI);
        assertThat(report.hotPerSecond()).as("10 slots, 2 ms each").isCloseTo(5_000, within(1e-6));
        assertThat(report.possiblePerSecond()).as("most need 500 ms").isLessThan(25);
    }

    @Test
    void the_capacity_follows_slower_handlers() {
        double possible = 0;
        for (int period = 1; period <= 22; period++) {
            for (int i = 0; i < (period <= 10 ? 160 : 3); i++) {
                stats.ended(Lane.OVERFLOW, (period <= 10 ? 10 : 1_000) * MILLI);
            }
            possible = stats.report(10, 0, OWNED, 250L * period * MILLI).possiblePerSecond();
            if (period == 10) {
                assertThat(possible).as("10 slots, 10 ms each").isCloseTo(1_000, within(1.0));
            }
        }
        assertThat(possible).as("3 s after handlers have become a hundred times slower").isLessThan(50);
    }

    @Test
    void a_few_long_attempts_leave_the_capacity_at_what_is_handled() {
        for (int period = 1; period <= 40; period++) {
            for (int i = 0; i < 75; i++) {
                stats.ended(Lane.OVERFLOW, 20 * MILLI);
            }
            if (period == 40) {
                stats.ended(Lane.OVERFLOW, 60_000 * MILLI);
            }
            double possible = stats.report(25, 0, OWNED, 250L * period * MILLI).possiblePerSecond();
            assertThat(possible).as("300 a second, in period %d", period).isGreaterThan(period < 20 ? 100 : 295);
        }
    }

    @Test
    void the_mean_forgets_all_but_one_part_in_e_within_32_attempts() {
        end(Lane.OVERFLOW, 32, 100);
        stats.report(10, 0, OWNED, 1_000 * MILLI);
        end(Lane.OVERFLOW, 32, 200);
        assertThat(10 / stats.report(10, 0, OWNED, 2_000 * MILLI).possiblePerSecond())
                .isCloseTo(0.2 - 0.1 / Math.E, within(1e-6));
    }

    /** In two seconds 200 attempts end, of a second each, though there are only ten slots. */
    @Test
    void what_is_handled_of_hot_is_possible_and_forgotten_but_for_one_part_in_e_within_a_second() {
        end(Lane.HOT, 200, 1_000);
        assertThat(stats.report(10, 0, OWNED, 2_000 * MILLI).hotPerSecond())
                .isCloseTo(100 - 100 / (Math.E * Math.E), within(1e-6));
        end(Lane.HOT, 100, 1_000);
        assertThat(stats.report(10, 0, OWNED, 3_000 * MILLI).hotPerSecond())
                .isCloseTo(100 - 100 / (Math.E * Math.E * Math.E), within(1e-6));
    }

    @ParameterizedTest(name = "one of four attempts takes {0} ms, the others 2 ms")
    @CsvSource({"2, 5000", "16, 1818", "17, 5000", "60000, 5000"})
    void an_attempt_above_eight_medians_does_not_make_those_of_hot_slow(long slowMillis, double perSecond) {
        end(Lane.HOT, 1, slowMillis);
        end(Lane.HOT, 3, 2);
        assertThat(stats.report(10, 0, OWNED, 1_000 * MILLI).hotPerSecond()).isCloseTo(perSecond, within(1.0));
    }

    @Test
    void the_age_is_of_first_attempts_in_hot_and_one_very_old_item_is_bounded() {
        for (int i = 0; i < 999; i++) {
            stats.begun(Lane.HOT, true, 20);
        }
        stats.begun(Lane.HOT, true, 86_400_000);
        stats.begun(Lane.HOT, false, 60_000);
        stats.begun(Lane.OVERFLOW, true, 60_000);
        stats.begun(Lane.AGED, true, 600_000);
        assertThat(stats.report(50, 0, OWNED, MILLI).ageMillis()).isCloseTo(29.98, within(0.01));
        stats.begun(Lane.HOT, true, -5);
        assertThat(stats.report(50, 0, OWNED, MILLI).ageMillis()).as("only this period, clock ahead").isZero();
    }

    @ParameterizedTest
    @CsvSource({"0, 1, 1, 1, 1", "100001, 1, 1, 1, 1", "1, -1, 1, 1, 1", "1, NaN, 1, 1, 1", "1, 1, Infinity, 1, 1",
        "1, 1, 1, -1, 1", "1, 1, 1, 1, NaN"})
    void a_report_out_of_range_is_rejected(int slots, double possible, double handled, long waiting, double ageMillis) {
        assertThatThrownBy(() -> new WorkerReport(slots, possible, possible, handled, waiting, ageMillis, OWNED))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void the_largest_numbers_are_accepted_and_suspects_change_no_other() {
        WorkerReport report = new WorkerReport(100_000, 1e12, 1e12, 1e12, Long.MAX_VALUE, 1e12, OWNED);
        SuspectStatus suspects = new SuspectStatus(1, 2, Map.of("acme", 3L));
        WorkerReport with = report.with("spare", SlotUse.NONE, suspects);
        assertThat(with.suspects()).isEqualTo(suspects);
        assertThat(with.with("shared", SlotUse.NONE, SuspectStatus.NONE)).isEqualTo(report);
    }

    private void end(Lane lane, int attempts, long millis) {
        for (int i = 0; i < attempts; i++) {
            stats.ended(lane, millis * MILLI);
        }
    }
}
