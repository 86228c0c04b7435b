package io.spillway.core.routing;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.PolicySettings;
import io.spillway.core.policy.TenantPolicy;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ReplayRulesTest {
    private static final long NOW = 1_800_000_000_000L;

    @ParameterizedTest(name = "number {0} at {1}/s after {2} ms")
    @CsvSource({
        "0, 100, 0", "1, 100, 10", "99, 100, 990", "100, 100, 1000", "1, 0.5, 2000", "3, 2.5, 1200",
        "7, 1000000, 0", "1000000, 1000000, 1000", "1, 0.001, 1000000",
    })
    void due_times_are_spread_by_the_rate(long index, double perSecond, long afterMillis) {
        assertThat(ReplayRules.dueMillis(NOW, index, perSecond)).isEqualTo(NOW + afterMillis);
    }

    @ParameterizedTest(name = "{0} at {1}/s: {2}")
    @CsvSource({
        "0, 0.0000001, true", "1, 0.0000001, true", "2, 0.0000001, false",
        // 30 days are 2,592,000 s.
        "2592001, 1, true", "2592002, 1, false", "259200001, 100, true", "259200101, 100, false",
        "9223372036854775807, 1, false",
    })
    void the_last_must_be_due_within_30_days(long count, double perSecond, boolean fits) {
        assertThat(ReplayRules.fits(count, perSecond)).isEqualTo(fits);
    }

    @ParameterizedTest(name = "made {0} s, entered {1} s ago, due in {2} s, ttl {3}, sweepable {4}, sweep {5} s: {6}")
    @CsvSource({
        // Neither what was before the replay counts for its age, nor the wait.
        "86400, 86400,   0, 1m,    false, 0,     fresh",
        "86400, 86400,  61, 1m,    false, 0,     fresh",
        "86400, 86400, 301, none,  false, 0,     fresh",
        "86400, 86400, 1209600, none, false, 0,  fresh",
        // Sweeps use the enqueue time.
        "86400, 86400,   0, none,  true,  86399, sweep",
        "86400, 86400,   0, none,  true,  86400, fresh",
        "86400, 86400,   0, none,  false, 86399, fresh",
        "86400, 86400,  61, 1m,    true,  86399, sweep",
        // Both times must be covered.
        "86400, 86399, 0, none, true,  86399, fresh",
        "86399, 86400, 0, none, true,  86399, fresh",
        // An implausible time is replaced by the due time.
        "-3600, 0,   0, 1m,    true,  100,   fresh",
        "-30, 0,    60, 1m,    false, 0,     fresh",
        "1799999999, 0, 0, 1m, true,  100,   fresh",
    })
    void the_route_of_a_replayed_item_when_due(
            long agoSeconds, long enteredAgoSeconds, long dueInSeconds, String ttl, boolean sweepable,
            long sweepAgoSeconds, String expected) {
        TenantPolicy policy = TenantPolicy.of(PolicySettings.NONE_SET
                .with(PolicyField.TTL, ttl).with(PolicyField.SWEEPABLE, Boolean.toString(sweepable)));

        long dueMillis = NOW + dueInSeconds * 1000;
        ItemTimes times = ItemTimes.entered(NOW - agoSeconds * 1000, NOW - enteredAgoSeconds * 1000, dueMillis)
                .replayedAt(dueMillis, dueMillis);
        String fate = new ItemEnds(
                (tenant, workload, margin, now) -> NOW - sweepAgoSeconds * 1000, ItemEnds.NO_FAILURES, () -> 0)
                .now("acme", "", times, policy, dueMillis)
                .map(route -> switch (route) {
                    case Route.Drop drop -> drop.reason().label();
                    case Route.ToLane lane -> lane.lane().label();
                    case Route.DeadLetter dead -> dead.reason().label();
                })
                .orElse("fresh");

        assertThat(fate).isEqualTo(expected);
    }
}
