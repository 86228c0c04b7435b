package io.spillway.core.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.item.ItemState;
import io.spillway.core.policy.GrowthRule;
import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.PolicySettings;
import io.spillway.core.policy.TenantPolicy;
import io.spillway.core.ratelimit.GrowingLimit;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DepthTest {
    private static final long START = 1_800_000_000_000L;
    private static final long HOUR_MILLIS = 3_600_000;
    private static final GrowthRule THREE_TIMES = new GrowthRule(3, 10, 100_000, 1.5, Long.MAX_VALUE);

    @Test
    void the_forecast_is_of_what_waits_for_workers_at_the_rates_of_now() {
        Depth depth = depth(waiting(100, 50), 0, 10);
        assertThat(depth.drain(START)).isEqualTo(new Drain.After(10));
        assertThat(depth.drain(START + HOUR_MILLIS)).as("nothing left for an hour").isEqualTo(new Drain.Never());
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            # what                                         | waits | delay | in/s | out/s | ttl  | expireAfter | late
            what leaves within a second is in transit      |    10 |     0 |  9.9 |    10 | 10s  | 14d         | false
            more than that outlasts its time to live       |    11 |     0 |  9.9 |    10 | 10s  | 14d         | true
            it is gone before its time to live             |    11 |     0 |  9.9 |    10 | 200s | 14d         | false
            what is in delay does not wait for a worker    |     5 |  1000 |  9.9 |    10 | 10s  | 14d         | false
            the last item is attempted just before it ends |   100 |     0 |  0.5 |     1 | none | 100s        | false
            the last item expires                          |   100 |     0 |  0.5 |     1 | none | 99s         | true
            it expires, though less arrives than leaves    |   100 |     0 |    0 |     1 | none | 99s         | true
            at no rate one item in half a minute may leave |    10 |     0 |    0 |     0 | none | 301s        | false
            so ten of them take five minutes               |    10 |     0 |    0 |     0 | none | 299s        | true
            """)
    void a_backlog_is_late_that_outlasts_its_items(
            String what, long waits, long delay, double in, double out, String ttl, String expireAfter, boolean late) {
        PolicySettings settings =
                PolicySettings.NONE_SET.with(PolicyField.TTL, ttl).with(PolicyField.EXPIRE_AFTER, expireAfter);
        Depth depth = depth(waiting(waits, delay), in, out);
        assertThat(depth.isLate(TenantPolicy.of(settings), START)).isEqualTo(late);
        assertThat(depth.isLate(TenantPolicy.of(settings.with(PolicyField.PAUSED, "true")), START))
                .as("paused").isFalse();
    }

    @Test
    void a_settled_tenant_is_idle_when_nothing_has_changed_for_long_enough() {
        Depth depth = depth(TenantBalance.EMPTY, 0, 0);
        assertThat(depth.isIdle(HOUR_MILLIS, START + HOUR_MILLIS - 1, Optional.empty())).isFalse();
        assertThat(depth.isIdle(HOUR_MILLIS, START + HOUR_MILLIS, Optional.empty())).isTrue();
        assertThat(depth(waiting(1, 0), 0, 0).isIdle(HOUR_MILLIS, START + HOUR_MILLIS, Optional.empty())).isFalse();
    }

    /** Three times the use, at least 10 items a second. */
    @ParameterizedTest(name = "a use of {0}/s, {1} days ago")
    @CsvSource({"0, 1, true", "3, 1, true", "100, 1, false", "100, 30, true"})
    void a_tenant_is_idle_only_when_the_limit_that_grew_from_its_use_is_forgotten(
            double usePerSecond, int days, boolean idle) {
        Depth depth = new Depth(
                TenantBalance.EMPTY, FlowRates.startingAt(START), new GrowingLimit(usePerSecond, 3 * usePerSecond), 0);
        assertThat(depth.isIdle(HOUR_MILLIS, START + 24 * days * HOUR_MILLIS, Optional.of(THREE_TIMES)))
                .isEqualTo(idle);
    }

    private static Depth depth(TenantBalance balance, double inPerSecond, double outPerSecond) {
        return new Depth(balance, new FlowRates(inPerSecond, outPerSecond, START), GrowingLimit.NONE, 0);
    }

    private static TenantBalance waiting(long forWorkers, long inDelay) {
        return TenantBalanceTest.move(
                TenantBalanceTest.move(TenantBalance.EMPTY, ItemState.OUTSIDE, ItemState.HOT, forWorkers),
                ItemState.OUTSIDE, ItemState.DELAY, inDelay);
    }
}
