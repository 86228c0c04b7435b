package io.spillway.core.retry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.PolicySettings;
import io.spillway.core.policy.TenantPolicy;
import io.spillway.handler.Outcome;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** When probes start, and what counts as an attempt. Attempts of 20 ms have a timeout of three times that. */
class TenantDurationsTest {
    private static final long T0 = 1_700_000_000_000L;
    private static final Outcome TIMED_OUT = new Outcome.TimedOut(Duration.ofMillis(1));
    private static final TenantPolicy AUTO = TenantPolicy.of(PolicySettings.NONE_SET
            .with(PolicyField.TIMEOUT, "auto").with(PolicyField.TIMEOUT_MIN, "1ms"));

    private final TenantDurations tenant = new TenantDurations();
    private long nowMillis = T0;

    private AttemptTimeout start() {
        return tenant.start(AUTO, 0, false, nowMillis);
    }

    /** Runs so many attempts of 20 ms, of which none is a probe. */
    private void succeed(int attempts) {
        for (int i = 0; i < attempts; i++) {
            tenant.ended(tenant.usual(30_000), Outcome.done(), 20_000_000);
        }
    }

    private void timeOut(int attempts) {
        for (int i = 0; i < attempts; i++) {
            AttemptTimeout timeout = start();
            assertThat(timeout.isProbe).as("attempt %d", i).isFalse();
            tenant.ended(timeout, TIMED_OUT, timeout.millis() * 1_000_000);
        }
    }

    private AttemptTimeout probe() {
        AttemptTimeout probe = start();
        assertThat(probe.isProbe).isTrue();
        return probe;
    }

    @Test
    void everyThirtySecondFirstAttemptIsAProbeOfTwiceTheTimeout() {
        succeed(2_000);
        long usual = start().usualMillis;
        for (int i = 2; i < TenantDurations.PROBE_EVERY; i++) {
            assertThat(start().millis()).isEqualTo(usual);
        }
        assertThat(probe().millis()).isEqualTo(2 * usual);
    }

    @Test
    void thereIsNoProbeBeforeThereIsAnAutomaticTimeout() {
        succeed(AutoTimeout.LEAST_SAMPLES - 1);
        for (int i = 0; i < 2 * TenantDurations.PROBE_EVERY; i++) {
            assertThat(start().isProbe).isFalse();
        }
    }

    @Test
    void aProbeThatHasNotEndedAMinuteAfterItsTimeoutIsGivenUp() {
        succeed(2_000);
        for (int i = 1; i < TenantDurations.PROBE_EVERY; i++) {
            start();
        }
        long endMillis = nowMillis + probe().millis() + 60_000;
        nowMillis = endMillis - 1;
        for (int i = 0; i < TenantDurations.PROBE_EVERY; i++) {
            assertThat(start().isProbe).isFalse();
        }
        nowMillis = endMillis;
        assertThat(start().isProbe).isTrue();
    }

    @Test
    void aProbeThatTimesOutDoublesTheNextUpToThirtyTwoTimes() {
        succeed(2_000);
        long usual = start().usualMillis;
        for (int i = 2; i < TenantDurations.PROBE_EVERY; i++) {
            start();
        }
        for (int factor : new int[] {2, 4, 8, 16, 32, 32}) {
            AttemptTimeout probe = probe();
            assertThat(probe.millis()).isEqualTo(factor * usual);
            tenant.ended(probe, TIMED_OUT, probe.millis() * 1_000_000);
            // One that succeeds ends the run of timeouts.
            AttemptTimeout next = start();
            tenant.ended(next, Outcome.done(), 20_000_000);
            for (int i = 2; i < TenantDurations.PROBE_EVERY; i++) {
                start();
            }
        }
    }

    @Test
    void inARunOfTimeoutsProbesStartAfterTwoFourEightAndLastAsManyTimesTheTimeout() {
        succeed(2_000);
        long usual = start().usualMillis;
        timeOut(2);
        for (int row : new int[] {2, 4, 8, 16, 32, 64}) {
            AttemptTimeout probe = probe();
            assertThat(probe.millis()).isEqualTo(Math.min(row * usual, AUTO.timeoutMaxMillis()));
            assertThat(tenant.stats(AUTO).timeoutsInRow()).isEqualTo(row);
            tenant.ended(probe, TIMED_OUT, probe.millis() * 1_000_000);
            timeOut(row - 1);
        }
    }

    @Test
    void aSuccessAboveTheTimeoutCountsAsThirtyTwoInAProbeAndAsOneOtherwise() {
        succeed(2_000);
        double before = tenant.stats(AUTO).samples();
        long usual = start().usualMillis;
        tenant.ended(new AttemptTimeout(tenant, 8 * usual, usual, false), Outcome.done(), 5 * usual * 1_000_000);
        assertThat(tenant.stats(AUTO).samples() - before).isCloseTo(1, within(1.0));
        before = tenant.stats(AUTO).samples();
        tenant.ended(new AttemptTimeout(tenant, 8 * usual, usual, true), Outcome.done(), usual * 1_000_000);
        assertThat(tenant.stats(AUTO).samples() - before).as("not above").isCloseTo(1, within(1.0));
        before = tenant.stats(AUTO).samples();
        tenant.ended(new AttemptTimeout(tenant, 8 * usual, usual, true), Outcome.done(), 5 * usual * 1_000_000);
        assertThat(tenant.stats(AUTO).samples() - before).isCloseTo(TenantDurations.PROBE_EVERY, within(5.0));
    }

    @Test
    void theSlowSuccessThatEndsARunOfTimeoutsReplacesMostSamples() {
        succeed(2_000);
        long usual = start().usualMillis;
        timeOut(2);
        AttemptTimeout probe = probe();
        tenant.ended(probe, Outcome.done(), (usual + 1) * 1_000_000);
        assertThat(tenant.stats(AUTO).samples())
                .isEqualTo(TenantDurations.AFTER_RUN_SAMPLES + TenantDurations.PROBE_EVERY);
        assertThat(tenant.stats(AUTO).timeoutsInRow()).isZero();
    }

    @Test
    void attemptsAndTimeoutsAreAveragedOverAThousandAndInterruptedOnesAreNone() {
        timeOut(1);
        assertThat(tenant.stats(AUTO).attempts()).isEqualTo(1);
        assertThat(tenant.stats(AUTO).timedOut()).isEqualTo(1);
        tenant.ended(tenant.usual(30_000), new Outcome.Interrupted(), 1);
        assertThat(tenant.stats(AUTO).attempts()).isEqualTo(1);
        succeed(1_000);
        assertThat(tenant.stats(AUTO).attempts()).as("1,000 (1 - 1/e)").isBetween(630L, 634L);
        assertThat(tenant.stats(AUTO).timedOut()).isZero();
    }

    @Test
    void theActivityHalvesWithEachReport() {
        succeed(4);
        tenant.ended(tenant.usual(30_000), new Outcome.Interrupted(), 1);
        assertThat(tenant.updateActivity()).isEqualTo(4);
        assertThat(tenant.updateActivity()).isEqualTo(2);
        succeed(1);
        assertThat(tenant.updateActivity()).isEqualTo(2);
    }

    @Test
    void aTenantIsIdleTenMinutesAfterItsLastStart() {
        start();
        assertThat(tenant.isIdle(nowMillis + 599_999)).isFalse();
        assertThat(tenant.isIdle(nowMillis + 600_000)).isTrue();
    }

    @Test
    void twentyTimeoutsInARowAreAlways() {
        TenantPolicy fixed = TenantPolicy.of(PolicySettings.NONE_SET.with(PolicyField.TIMEOUT, "1s"));
        for (int i = 0; i < TimeoutStats.ALWAYS; i++) {
            assertThat(tenant.alwaysTimesOut()).as("after %d", i).isFalse();
            assertThat(tenant.stats(fixed).alwaysTimesOut()).as("after %d", i).isFalse();
            tenant.ended(tenant.start(fixed, 0, false, nowMillis), TIMED_OUT, 1_000_000_000);
        }
        assertThat(tenant.alwaysTimesOut()).isTrue();
        assertThat(tenant.stats(fixed).alwaysTimesOut()).isTrue();
    }

    @Test
    void availabilityIsToldBesideTheStatisticsAndChangesNoneOfThem() {
        start();
        succeed(5);
        TimeoutStats stats = tenant.stats(AUTO);
        TimeoutStats unavailable = stats.withUnavailable(true);
        assertThat(unavailable.unavailable()).isTrue();
        assertThat(unavailable.withUnavailable(false)).isEqualTo(stats);
    }

    @Test
    void attemptsWithTheSameTimeoutShareOne() {
        assertThat(tenant.usual(5)).isSameAs(tenant.usual(5));
        assertThat(tenant.usual(6).millis()).isEqualTo(6);
    }
}
