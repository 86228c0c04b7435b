package io.spillway.core.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DrainTimeTest {
    private static final long START = 1_800_000_000_000L;

    /** A tenant that was offered and completed 100 items a second for an hour; what happens then, for some minutes. */
    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            # what                                  | in/s | out/s | minutes | drain seconds
            the first seconds of a flood            |  500 |   100 |    0.25 |      0
            a flood                                 |  500 |   100 |       1 |    240
            a flood of a quarter of an hour         |  500 |   100 |      15 |   3600
            a destination is down for ten minutes   |  100 |     0 |      10 |    600
            it is down for five hours               |  100 |     0 |     300 |  18000
            few arrive while it is down             |    1 |     0 |     300 |    180
            a tenth of the rate, first              |  100 |    10 |      10 |    540
            a tenth of the rate, at last            |  100 |    10 |      60 |  32400
            a destination that answers rarely       |  100 |   0.1 |      10 |    599
            nothing arrives                         |    0 |     0 |      10 |      0
            """)
    void the_time_follows_from_the_best_recent_rate(
            String what, double inPerSecond, double outPerSecond, double minutes, double seconds) {
        Timeline tenant = new Timeline();
        tenant.run(3_600, 100, 100);
        tenant.run((int) (minutes * 60), inPerSecond, outPerSecond);
        assertThat(tenant.drainSeconds()).isCloseTo(seconds, within(Math.max(15, seconds * 0.03)));
    }

    /** Of a tenant that is new to the gateway: 1,000,000 items arrive in the first second. */
    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            # what                                  | out/s | seconds | drain seconds
            nothing is known                        |     0 |      20 |       0
            paused: the age of its backlog          |     0 |     600 |     600
            paused for a day                        |     0 |   86400 |   86400
            its rate is measured under the backlog  |   100 |      60 |    9940
            a fast one                              | 10000 |      50 |      50
            """)
    void a_new_tenant_has_the_age_of_its_backlog_until_its_rate_is_measured(
            String what, double outPerSecond, int seconds, double expected) {
        Timeline tenant = new Timeline();
        tenant.run(1, 1_000_000, 0);
        tenant.run(seconds, 0, outPerSecond);
        assertThat(tenant.drainSeconds()).isCloseTo(expected, within(Math.max(2, expected * 0.03)));
    }

    /** One item a minute, then 1,000 at once at a capacity of 20 a second: the rate before says nothing about it. */
    @Test
    void a_rare_tenant_is_not_judged_by_a_rate_that_its_demand_limited() {
        Timeline tenant = new Timeline();
        for (int minute = 0; minute < 60; minute++) {
            tenant.run(1, 1, 0);
            tenant.run(1, 0, 1);
            tenant.run(58, 0, 0);
        }
        tenant.run(1, 1_000, 0);
        for (int second = 0; second < 60; second++) {
            tenant.run(1, 0, 20);
            assertThat(tenant.drainSeconds()).as("after %s s", second).isLessThan(60);
        }
    }

    @Test
    void after_an_outage_the_backlog_is_measured_again() {
        Timeline tenant = new Timeline();
        tenant.run(600, 100, 100);
        tenant.run(1_800, 100, 0);
        tenant.run(1_800, 100, 200);
        assertThat(tenant.drainSeconds()).isZero();
    }

    /** Ten items complete in a second. */
    @ParameterizedTest
    @CsvSource({"100, 0", "101, 1000"})
    void what_completes_within_ten_seconds_is_no_backlog(long waiting, long backlogMillis) {
        DrainTime time = DrainTime.startingAt(0, START).after(waiting, 10, 10, START + 1_000);
        assertThat(time.backlogMillis()).isEqualTo(backlogMillis);
    }

    /** A backlog of 1,000 items from the start, at a rate of one a second. */
    @ParameterizedTest(name = "an item completed after {0} s: at {1} s it needs {2} s")
    @CsvSource({"29, 29, 0", "29, 30, 30", "30, 30, 1000", "30, 41, 1000", "0, 40, 40"})
    void a_rate_counts_when_an_item_leaves_a_backlog_of_half_a_minute(int completedAt, int now, double drainSeconds) {
        DrainTime time = DrainTime.startingAt(0, START);
        for (int second = 1; second <= now; second++) {
            time = time.after(1_000, second < completedAt || completedAt == 0 ? 0 : 1, 1, START + second * 1_000L);
        }
        assertThat(time.millis(1_000)).isEqualTo(drainSeconds * 1_000);
    }

    /** 100 items in the first second, and then ten a second. */
    @ParameterizedTest
    @CsvSource({"1799, 10", "1800, 100"})
    void the_best_rate_counts_for_two_windows_of_a_quarter_of_an_hour(int now, double drainSeconds) {
        DrainTime time = DrainTime.startingAt(0, START);
        for (int second = 1; second <= now; second++) {
            time = time.after(100_000, second, second == 1 ? 100 : 10, START + second * 1_000L);
        }
        assertThat(time.millis(1_000)).isEqualTo(drainSeconds * 1_000);
    }

    /** A step of the wall clock ages nothing by more than ten seconds. */
    @ParameterizedTest
    @CsvSource({"-7200000", "7200000"})
    void a_step_of_the_clock_is_not_the_age_of_a_backlog(long stepMillis) {
        Timeline tenant = new Timeline();
        tenant.run(1, 1_000, 0);
        tenant.nowMillis += stepMillis;
        tenant.run(60, 0, 0);
        assertThat(tenant.drainSeconds()).isBetween(50.0, 72.0);
    }

    /** Steps of a second, with the rates that the ledger would write. */
    private static final class Timeline {
        long nowMillis = START;
        private double waiting;
        private double went;
        private FlowRates rates = FlowRates.startingAt(START);
        private DrainTime time = DrainTime.startingAt(0, START);

        void run(int seconds, double inPerSecond, double outPerSecond) {
            for (int i = 0; i < seconds; i++) {
                nowMillis += 1_000;
                long before = (long) went;
                double completed = Math.min(waiting + inPerSecond, outPerSecond);
                went += completed;
                waiting += inPerSecond - completed;
                rates = rates.after((long) inPerSecond, (long) went - before, nowMillis);
                time = time.after((long) waiting, (long) went, rates.outPerSecond(), nowMillis);
            }
        }

        double drainSeconds() {
            return time.millis((long) waiting) / 1e3;
        }
    }
}
