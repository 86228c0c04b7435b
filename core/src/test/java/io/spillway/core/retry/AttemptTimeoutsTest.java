package io.spillway.core.retry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.core.policy.NamedDestination;
import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.PolicySettings;
import io.spillway.core.policy.TenantPolicy;
import io.spillway.handler.Outcome;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.Optional;
import java.util.Random;
import java.util.function.DoubleSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AttemptTimeoutsTest {
    private static final Outcome SUCCEEDED = Outcome.done();
    private static final double FOREVER = Double.MAX_VALUE;
    private static final TenantPolicy AUTO = policy("1ms");

    private final AttemptTimeouts timeouts = new AttemptTimeouts(10);
    private final long seed = new Random().nextLong();
    private final Random random = new Random(seed);
    private TenantPolicy policy = AUTO;
    private double nowMillis;

    AttemptTimeoutsTest() {
        System.out.println("AttemptTimeoutsTest seed " + seed);
    }

    /** What some attempts came to. */
    private record Played(int timedOut, int probesTimedOut, double timedOutMillis, double probeMillis) {}

    @Test
    void a_tenant_a_subscription_and_a_destination_are_measured_by_themselves() {
        PolicySettings named = PolicySettings.NONE_SET.with(PolicyField.DESTINATION, "crm");
        TenantPolicy plain = TenantPolicy.of(PolicySettings.NONE_SET);
        TenantPolicy calling = TenantPolicy.of(
                named, Optional.of(new NamedDestination("crm", PolicySettings.NONE_SET)), PolicySettings.NONE_SET);

        assertThat(AttemptTimeouts.measuredAs("acme", "mail", plain)).isEqualTo("acme");
        assertThat(AttemptTimeouts.measuredAs("acme", "~billing", plain)).isEqualTo("acme/~billing");
        assertThat(AttemptTimeouts.measuredAs("acme", "mail", calling)).isEqualTo("/crm");
        assertThat(AttemptTimeouts.measuredAs("bolt", "~billing", calling)).isEqualTo("/crm");
    }

    @Test
    void theFixedTimeoutAppliesUntilThreeHundredAttemptsSucceeded() {
        play(299, () -> 20);
        assertThat(usualMillis()).isEqualTo(30_000);
        play(40, () -> 20);
        assertThat(usualMillis()).as("three times the largest of 300, as if of 1,000").isBetween(61L, 71L);
        play(1_000, () -> 20);
        assertThat(usualMillis()).as("three times the median").isBetween(60L, 64L);
    }

    @Test
    void aTenantWithAFixedTimeoutKeepsItAndShowsWhatAutoWouldChoose() {
        policy = TenantPolicy.of(PolicySettings.NONE_SET
                .with(PolicyField.TIMEOUT, "5s").with(PolicyField.TIMEOUT_MIN, "50ms"));
        Played outcome = play(3_000, () -> random.nextInt(100) == 0 ? 400 : 20);
        assertThat(outcome.timedOut).isZero();
        assertThat(usualMillis()).isEqualTo(5_000);
        TimeoutStats stats = stats();
        assertThat(stats.usualMillis()).isEqualTo(5_000);
        assertThat(stats.autoMillis()).isBetween(400L, 426L);
        assertThat(stats.samples()).isBetween(2_400L, 2_600L);
        assertThat(stats.p50Millis()).isBetween(20.0, 21.3);
        assertThat(stats.p999Millis()).isBetween(400.0, 426.0);
    }

    @ParameterizedTest
    @CsvSource({"1.5, 2", "2, 2", "3, 4", "4, 4", "10, 16", "50, 64", "500, 512", "4000, 4096"})
    void aDestinationThatBecomesSlowerThanTheTimeoutIsReachedAfterTwiceAsManyTimeoutsInARow(
            double factor, int timeoutsInRow) {
        play(3_000, () -> 20);
        startedProbe(usualMillis());
        nowMillis += 100_000;
        double slowMillis = factor * usualMillis();
        int timedOut = 0;
        while (attempt(slowMillis, 0) != null) {
            timedOut++;
        }
        assertThat(timedOut).as("limit %s, seed %s", usualMillis(), seed).isEqualTo(timeoutsInRow);
        assertThat((double) usualMillis()).as("from the next attempt on").isGreaterThanOrEqualTo(slowMillis);
        assertThat(play(10_000, () -> slowMillis * (1 + random.nextDouble() / 2)).timedOut)
                .as("seed %s", seed).isLessThan(100);
    }

    @Test
    void aSlowdownIsFollowedWithManyAttemptsInParallelToo() {
        play(3_000, () -> 20);
        long before = usualMillis();
        Played outcome = play(20_000, () -> 3 * before * (0.8 + random.nextDouble() * 0.4), 20);
        // Until the probe of 4 times the timeout has succeeded, 2 + 2 + 4 timeouts of each slot.
        assertThat(outcome.timedOut).as("seed %s", seed).isLessThan(20 * 8 + 40);
        assertThat(usualMillis()).isGreaterThanOrEqualTo(3 * before);
    }

    @ParameterizedTest
    @ValueSource(doubles = {0.001, 0.01, 0.1, 0.5})
    void attemptsThatHangDoNotRaiseTheTimeoutAndProbesAtMostDoubleTheirCost(double share) {
        play(3_000, this::lognormal);
        long before = usualMillis();
        long[] afterMillis = new long[5];
        double timedOutMillis = 0;
        double probeMillis = 0;
        for (int i = 0; i < afterMillis.length; i++) {
            Played outcome = play(40_000, () -> random.nextDouble() < share ? FOREVER : lognormal(), 8);
            afterMillis[i] = usualMillis();
            timedOutMillis += outcome.timedOutMillis;
            probeMillis += outcome.probeMillis;
        }
        Arrays.sort(afterMillis);
        // Where half of them hang, a row of timeouts and then a success raise it at one moment in a thousand.
        assertThat(afterMillis[2]).as("median of %s, before %s, seed %s", Arrays.toString(afterMillis), before, seed)
                .isLessThan(3 * before);
        assertThat(probeMillis).as("seed %s", seed).isLessThan(1.5 * timedOutMillis + 2_000 * before);
    }

    @Test
    void aTenantWhoseEveryAttemptHangsKeepsProbesRareAndIsShown() {
        play(3_000, () -> 20);
        long before = usualMillis();
        Played outcome = play(5_000, () -> FOREVER);
        assertThat(usualMillis()).isEqualTo(before);
        assertThat(outcome.probesTimedOut).isLessThan(5_000 / TenantDurations.PROBE_EVERY + 12);
        assertThat(outcome.probeMillis).isLessThan(2 * outcome.timedOutMillis);
        assertThat(stats().alwaysTimesOut()).isTrue();
        assertThat(stats().timeoutsInRow()).isEqualTo(5_000);
        assertThat(stats().timedOut()).isGreaterThan(990);
        assertThat(timeouts.alwaysTimingOut((long) nowMillis)).isEqualTo(1);
        play(1, () -> 20);
        assertThat(timeouts.alwaysTimingOut((long) nowMillis)).isZero();
    }

    @Test
    void aHandlerThatWasAlwaysSlowerThanTheFixedTimeoutIsLearned() {
        policy = policy("1s");
        Played outcome = play(1_000, () -> 100_000);
        assertThat(outcome.timedOut).as("seed %s", seed).isLessThan(60);
        assertThat(usualMillis()).isGreaterThanOrEqualTo(100_000);
    }

    @Test
    void oneAttemptInAHundredThatTakesFiftyTimesAsLongIsNotCutOff() {
        // One time in twenty none of the first 300 is slow; then probes learn it.
        play(50_000, () -> random.nextInt(100) == 0 ? 1_000 : 20);
        assertThat(play(50_000, () -> random.nextInt(100) == 0 ? 1_000 : 20).timedOut).as("seed %s", seed).isZero();
    }

    @Test
    void aSlowShareThatAppearsLaterIsLearnedByProbes() {
        play(10_000, () -> 20);
        Played outcome = play(100_000, () -> random.nextInt(100) == 0 ? 1_000 : 20);
        // Five probes of a factor of 2 to 32, each one in 32 attempts, of which one in a hundred is slow: 160 timeouts.
        assertThat(outcome.timedOut).as("seed %s", seed).isLessThan(700);
        assertThat(usualMillis()).as("seed %s", seed).isGreaterThan(1_000);
        assertThat(play(20_000, () -> random.nextInt(100) == 0 ? 1_000 : 20).timedOut).as("seed %s", seed).isZero();
    }

    @Test
    void aLongTailIsNotCutShorterAndShorter() {
        play(100_000, this::longTail);
        Played outcome = play(400_000, this::longTail);
        assertThat(outcome.timedOut / 400_000.0).as("seed %s", seed).isLessThan(0.003);
    }

    @Test
    void aRetryHasLongerAndAFailureThatCouldBeTheLastHasTheFixedTimeout() {
        play(3_000, () -> 20);
        long usual = usualMillis();
        for (int attempts = 1; attempts < 8; attempts++) {
            assertThat(start(attempts, false).millis()).isEqualTo(usual << attempts);
        }
        assertThat(start(9, false).millis()).isEqualTo(30_000);
        assertThat(start(Integer.MAX_VALUE, false).millis()).isEqualTo(30_000);
        assertThat(start(4, true).millis()).isEqualTo(30_000);
        assertThat(start(0, true).millis()).isEqualTo(30_000);
    }

    @Test
    void oneProbeRunsAtATimeAndOneThatNeverEndsIsGivenUpAMinuteAfterItsTimeout() {
        play(3_000, () -> 20);
        long usual = usualMillis();
        AttemptTimeout probe = startedProbe(usual);
        for (int i = 0; i < 100; i++) {
            assertThat(start(0, false).millis()).isEqualTo(usual);
        }
        nowMillis += probe.millis() + 60_001;
        assertThat(startedProbe(usual).millis()).isEqualTo(2 * usual);
    }

    @Test
    void interruptedAndFailedAttemptsAreNoSamples() {
        play(3_000, () -> 20);
        TimeoutStats before = stats();
        for (int i = 0; i < 50; i++) {
            timeouts.ended(start(0, false), new Outcome.Interrupted(), 900_000_000L);
            timeouts.ended(start(0, false), Outcome.retry("503"), 900_000_000L);
        }
        assertThat(stats().p999Millis()).isEqualTo(before.p999Millis());
        assertThat(stats().samples()).isEqualTo(before.samples());
    }

    @Test
    void aPolicyAppliesFromTheNextAttemptOn() {
        play(3_000, () -> 20);
        policy = policy("1s");
        assertThat(usualMillis()).isEqualTo(1_000);
        policy = TenantPolicy.of(PolicySettings.NONE_SET);
        assertThat(usualMillis()).isEqualTo(30_000);
    }

    @Test
    void aFullTableGivesFurtherTenantsTheFixedTimeoutUntilSomeAreIdle() {
        for (int i = 0; i < 10; i++) {
            play("t" + i, 300, () -> 20, 1);
        }
        play("new", 300, () -> 20, 1);
        assertThat(timeouts.stats("new", policy)).isEmpty();
        assertThat(timeouts.start("new", policy, 0, false, (long) nowMillis).millis()).isEqualTo(30_000);
        nowMillis += 599_000;
        play("t1", 1, () -> 20, 1);
        nowMillis += 60_000;
        play("new", 300, () -> 20, 1);
        assertThat(timeouts.stats("new", policy)).isPresent();
        assertThat(timeouts.stats("t0", policy)).as("without an attempt for ten minutes").isEmpty();
        assertThat(timeouts.stats("t1", policy)).isPresent();
        assertThat(timeouts.size()).isEqualTo(2);
    }

    @Test
    void theBusiestTenantsAreReportedAfterThoseThatAlwaysTimeOut() {
        policy = policy("1s");
        play("hanging", 20, () -> FOREVER, 20);
        play("busy", 500, () -> 20, 1);
        play("quiet", 50, () -> 20, 1);
        play("less", 300, () -> 20, 1);
        long now = (long) nowMillis;
        assertThat(timeouts.busiest(3, tenant -> policy, now)).extracting(AttemptTimeouts.TenantStats::tenant)
                .containsExactly("hanging", "busy", "less");
        play("quiet", 250, () -> 20, 1);
        assertThat(timeouts.busiest(9, tenant -> policy, now)).extracting(AttemptTimeouts.TenantStats::tenant)
                .containsExactly("hanging", "quiet", "busy", "less");
        assertThat(timeouts.busiest(9, tenant -> policy, now + 3_600_000)).isEmpty();
    }

    @Test
    void aTableWithoutRoomIsRejected() {
        assertThatThrownBy(() -> new AttemptTimeouts(0)).hasMessage("maxTenants = 0: must be 1 or more");
    }

    private static TenantPolicy policy(String minimum) {
        return TenantPolicy.of(PolicySettings.NONE_SET
                .with(PolicyField.TIMEOUT, "auto").with(PolicyField.TIMEOUT_MIN, minimum));
    }

    private double lognormal() {
        return 20 * Math.exp(random.nextGaussian() * 0.5);
    }

    /** Median 20 ms, p99 650 ms, p99.9 2 s, p99.99 5.3 s. */
    private double longTail() {
        return 20 * Math.exp(random.nextGaussian() * 1.5);
    }

    private Played play(int attempts, DoubleSupplier millis) {
        return play(attempts, millis, 1);
    }

    private Played play(int attempts, DoubleSupplier millis, int slots) {
        return play("t", attempts, millis, slots);
    }

    /** Runs first attempts at different items with this many at a time; those that started first end first. */
    private Played play(String tenant, int attempts, DoubleSupplier millis, int slots) {
        Deque<Runnable> ends = new ArrayDeque<>();
        int[] timedOut = new int[2];
        double[] lost = new double[2];
        for (int i = 0; i < attempts; i++) {
            AttemptTimeout timeout = timeouts.start(tenant, policy, 0, false, (long) nowMillis);
            double ran = Math.min(millis.getAsDouble(), timeout.millis());
            boolean isTimeout = ran == timeout.millis();
            ends.add(() -> timeouts.ended(timeout, result(isTimeout, ran), (long) (ran * 1e6)));
            if (isTimeout) {
                timedOut[0]++;
                timedOut[1] += timeout.isProbe ? 1 : 0;
                lost[timeout.isProbe ? 1 : 0] += ran;
            }
            nowMillis += Math.max(1, ran / slots);
            if (ends.size() == slots) {
                ends.remove().run();
            }
        }
        ends.forEach(Runnable::run);
        return new Played(timedOut[0], timedOut[1], lost[0], lost[1]);
    }

    /** Runs one attempt; returns its timeout if it timed out, or null. */
    private AttemptTimeout attempt(double millis, int attemptsBefore) {
        AttemptTimeout timeout = start(attemptsBefore, false);
        double ran = Math.min(millis, timeout.millis());
        nowMillis += ran;
        timeouts.ended(timeout, result(ran < millis, ran), (long) (ran * 1e6));
        return ran < millis ? timeout : null;
    }

    private static Outcome result(boolean isTimeout, double ran) {
        return isTimeout ? new Outcome.TimedOut(Duration.ofMillis((long) ran)) : SUCCEEDED;
    }

    private AttemptTimeout start(int attemptsBefore, boolean mayBeLast) {
        return timeouts.start("t", policy, attemptsBefore, mayBeLast, (long) nowMillis);
    }

    private AttemptTimeout startedProbe(long usual) {
        for (int i = 0; i < TenantDurations.PROBE_EVERY; i++) {
            AttemptTimeout timeout = start(0, false);
            if (timeout.millis() > usual) {
                return timeout;
            }
        }
        throw new AssertionError("no probe");
    }

    /** Returns the timeout of an attempt that is no probe. */
    private long usualMillis() {
        return start(0, false).usualMillis;
    }

    private TimeoutStats stats() {
        return timeouts.stats("t", policy).orElseThrow();
    }
}
