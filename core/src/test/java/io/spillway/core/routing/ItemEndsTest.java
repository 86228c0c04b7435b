package io.spillway.core.routing;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.PolicySettings;
import io.spillway.core.policy.TenantPolicy;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ItemEndsTest {
    private static final long START = 1_800_000_000_000L;
    private static final long HOUR = 3_600_000;

    private long aheadMillis;
    private final ItemEnds ends = new ItemEnds((tenant, workload, margin, now) -> ItemEnds.NO_SWEEP_MILLIS,
            ItemEnds.NO_FAILURES, () -> aheadMillis);

    @ParameterizedTest(name = "attempted {0}, retryFor {1}, expireAfter {2}, ttl {3}: {5} after {4} ms")
    @CsvSource(nullValues = "-", value = {
        "false, 6h,   14d,  none, 1209600000, expired",
        "true,  6h,   14d,  none, 21600000,   retry-time-over",
        "true,  6h,   14d,  1h,   3600000,    ttl",
        "true,  1h,   14d,  6h,   3600000,    retry-time-over",
        "true,  1h,   14d,  1h,   3600000,    retry-time-over",
        "false, 1h,   14d,  2h,   7200000,    ttl",
        "true,  none, 14d,  none, -,          -",
        "false, 6h,   none, none, -,          -",
        "false, 6h,   none, 1h,   3600000,    ttl",
    })
    void the_first_limit_is_the_end_where_it_is_shown_where_it_waits_and_where_it_is_routed(
            boolean attempted, String retryFor, String expireAfter, String ttl, Long afterMillis, String reason) {
        TenantPolicy policy = policy(retryFor, expireAfter, ttl);
        ItemTimes times = new ItemTimes(START, START, START, 0, attempted);
        assertThat(ItemEnds.next(times, policy)).isEqualTo(
                reason == null ? Optional.empty() : Optional.of(new ItemEnds.Limit(START + afterMillis, reason)));

        long endMillis = ends.endMillis(times, policy, START);
        if (reason == null) {
            assertThat(endMillis).isEqualTo(Long.MAX_VALUE);
            return;
        }
        // An item is handled up to its time to live, and not at any other end.
        assertThat(endMillis).isEqualTo(START + afterMillis + (reason.equals("ttl") ? 1 : 0));
        assertThat(end(times, policy, endMillis - 1)).isNotEqualTo(reason);
        assertThat(end(times, policy, endMillis)).isEqualTo(reason);
        assertThat(ItemEnds.mayBeOver(times, policy, endMillis)).isTrue();
    }

    @ParameterizedTest(name = "retryFor {0}, ttl {1}: not at {2} ms")
    @CsvSource({"1h, none, 3599999", "6h, 1h, 3600000", "1h, 2h, 3599999"})
    void an_item_is_looked_at_from_its_first_possible_end_on(String retryFor, String ttl, long lastMillis) {
        TenantPolicy policy = policy(retryFor, "14d", ttl);
        ItemTimes times = new ItemTimes(START, START, START, 0, false);
        assertThat(ItemEnds.mayBeOver(times, policy, START + lastMillis)).isFalse();
        assertThat(ItemEnds.mayBeOver(times, policy, START + lastMillis + 1)).isTrue();
    }

    @Test
    void a_step_of_the_clock_ends_an_item_nowhere_while_it_counts() {
        TenantPolicy policy = policy("1h", "14d", "none");
        ItemTimes times = new ItemTimes(START, START, START, 0, true);
        aheadMillis = 24 * HOUR;
        long nowMillis = START + aheadMillis;
        assertThat(end(times, policy, nowMillis)).isEqualTo("lives");
        assertThat(end(times, policy, nowMillis + HOUR)).isEqualTo("retry-time-over");
        assertThat(ends.endMillis(times, policy, nowMillis)).as("looked at when the step no longer counts")
                .isEqualTo(nowMillis + ClockSteps.HOLD_MILLIS);
        assertThat(ends.endMillis(times, policy, nowMillis + HOUR - 1)).isEqualTo(nowMillis + HOUR);
        assertThat(ends.endMillis(times, policy, START + HOUR)).as("also at the very end")
                .isEqualTo(START + HOUR + ClockSteps.HOLD_MILLIS);
        aheadMillis = 0;
        assertThat(ends.endMillis(times, policy, nowMillis)).isEqualTo(START + HOUR);
    }

    private String end(ItemTimes times, TenantPolicy policy, long nowMillis) {
        return switch (ends.now("acme", "", times, policy, nowMillis).orElse(Route.HOT)) {
            case Route.Drop drop -> drop.reason().label();
            case Route.DeadLetter dead -> dead.reason().label();
            case Route.ToLane lives -> "lives";
        };
    }

    private static TenantPolicy policy(String retryFor, String expireAfter, String ttl) {
        return TenantPolicy.of(PolicySettings.NONE_SET.with(PolicyField.RETRY_FOR, retryFor)
                .with(PolicyField.EXPIRE_AFTER, expireAfter).with(PolicyField.TTL, ttl));
    }
}
