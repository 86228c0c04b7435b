package io.spillway.core.routing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.PolicySettings;
import io.spillway.core.policy.TenantPolicy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SweepTest {
    private static final long SWEEP_START = 1_700_000_000_000L;
    private static final long HOUR = 3_600_000;

    @ParameterizedTest
    @CsvSource({
        // started, completed, margin, now, covered before
        "100, 200, 0, 201, 100",
        "100, 200, 0, 200, 100",
        "100, 200, 30, 200, 70",
        "100, 200, 130, 200, -30",
        "100, 200, 0, 199, -9223372036854775808",
        "100, 100, 0, 100, 100",
        "0, 200, 0, 200, 0",
        "-1, 200, 0, 200, -9223372036854775808",
        "-9223372036854775808, 200, 1, 201, -9223372036854775808",
        "100, 9223372036854775807, 0, 1800000000000, -9223372036854775808"
    })
    void a_completed_sweep_covers_items_before_its_start_less_the_margin(
            long started, long completed, long margin, long now, long coveredBefore) {
        assertThat(new Sweep(started, completed).coveredBeforeMillis(margin, now)).isEqualTo(coveredBefore);
    }

    /**
     * An item is made and enters at the same true time, in seconds before (-) or after the start of the sweep. Its
     * producer's clock and that of the broker are that many seconds ahead of the clock of the sweep.
     */
    @ParameterizedTest(name = "made {0} s from the start, producer {1} s ahead, broker {2} s ahead: {3}")
    @CsvSource({
        // All clocks agree.
        "-61, 0, 0, swept", "-60, 0, 0, kept", "-1, 0, 0, kept", "1, 0, 0, kept",
        // A producer an hour slow says that every item is old.
        "-61, -3600, 0, swept", "-60, -3600, 0, kept", "0, -3600, 0, kept", "1800, -3600, 0, kept",
        "3599, -3600, 0, kept", "86400, -3600, 0, kept",
        // A producer an hour fast: its time is replaced by that of the routing while it is in the future.
        "-86400, 3600, 0, swept", "-3661, 3600, 0, swept", "-61, 3600, 0, kept", "1, 3600, 0, kept",
        // A broker that is slow, with any producer.
        "-61, 0, -3600, swept", "1, 0, -3600, kept", "59, -3600, -59, kept", "-1, -3600, -59, kept",
        "-86400, 0, 3600, swept", "-61, 0, 3600, kept",
    })
    void no_clock_of_a_producer_makes_a_sweep_cover_what_entered_after_it_began(
            long madeSeconds, long producerAheadSeconds, long brokerAheadSeconds, String expected) {
        TenantPolicy policy = TenantPolicy.of(PolicySettings.NONE_SET
                .with(PolicyField.SWEEPABLE, "true").with(PolicyField.EXPIRE_AFTER, "none"));
        long enteredAt = SWEEP_START + madeSeconds * 1_000;
        long now = Math.max(SWEEP_START, enteredAt) + HOUR / 2;
        long claimed = enteredAt + producerAheadSeconds * 1_000;
        long stamped = enteredAt + brokerAheadSeconds * 1_000;
        long coveredBefore = new Sweep(SWEEP_START, SWEEP_START + 1).coveredBeforeMillis(policy.sweepMarginMillis(),
                now);

        boolean isSwept = new ItemEnds(
                (tenant, workload, margin, at) -> coveredBefore, ItemEnds.NO_FAILURES, () -> 0)
                .now("acme", "", ItemTimes.entered(claimed, stamped, now), policy, now)
                .filter(Route.SWEPT::equals).isPresent();

        assertThat(isSwept ? "swept" : "kept").isEqualTo(expected);
        assertThat(isSwept && madeSeconds >= 0).as("entered after the start, and dropped").isFalse();
    }

    @Test
    void a_sweep_cannot_complete_before_it_starts() {
        assertThatIllegalArgumentException().isThrownBy(() -> new Sweep(100, 99))
                .withMessage("startedAt = 100, completedAt = 99: a sweep cannot complete before it starts");
    }

    @ParameterizedTest(name = "entered at {0}, now {1}: {2}")
    @CsvSource({
        "99, 200, true", "100, 200, false", "101, 200, false",
        // 31 days, one more than the longest wait in the delay lane.
        "99, 2678400199, true", "99, 2678400200, false",
    })
    void a_cancel_covers_what_entered_before_it_for_31_days(long entered, long now, boolean covers) {
        assertThat(new Cancel(100, 200).covers(entered, now)).isEqualTo(covers);
    }
}
