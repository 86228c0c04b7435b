package io.spillway.core.retry;

import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.TenantPolicy;
import io.spillway.handler.Outcome;

/**
 * Durations of one tenant's attempts in one worker, and the timeout that follows with {@code timeout: auto}.
 *
 * <p>A timeout hides every longer duration. Three rules make sure that it learns when it is too short, without one that
 * follows attempts which never end:
 *
 * <ul>
 * <li><b>Probes.</b> One first attempt in {@value #PROBE_EVERY} may last 2 times the timeout. Each probe that times out
 * doubles that for the next, up to {@value #MAX_FACTOR} times. A success above the timeout counts as
 * {@value #PROBE_EVERY} samples, because it stands for those that were cut off.
 * <li><b>Runs.</b> While attempts time out and none succeeds, a probe also starts after 2, 4, 8… timeouts in a row and
 * may last as many times the timeout, up to the policy's maximum. So an s times slower destination is
 * reached after at most 2 s timeouts in a row. Its first success reduces all samples before to
 * {@value #AFTER_RUN_SAMPLES}.
 * <li><b>Retries</b> have twice the timeout for each attempt before, up to the fixed one, and a failure that could be
 * the item's last has at least the fixed one. So no item becomes a dead letter because of the automatic timeout.
 * </ul>
 *
 * <p>One probe runs at a time, and all probes of a run together take at most twice as long as its timeouts. Timeouts
 * are no samples: one attempt in ten that hangs would raise the p99.9 to the maximum.
 *
 * <p>Not thread-safe. Owner: the {@link AttemptTimeouts} it is in. Bound: that of {@link DurationPercentiles} and 250
 * bytes.
 */
final class TenantDurations {
    static final int PROBE_EVERY = 32;
    static final int MAX_FACTOR = 32;
    static final int AFTER_RUN_SAMPLES = 300;
    /** Attempts over which the share of timed-out ones is averaged. */
    static final int SHARE_WINDOW = 1_000;
    /** Percentiles are computed again after so many samples. */
    private static final int SAMPLES_PER_UPDATE = 32;
    private static final int MAX_DOUBLINGS = 30;
    private static final int MAX_FACTOR_DOUBLINGS = Integer.numberOfTrailingZeros(MAX_FACTOR);
    /** A probe that has not ended so long after its timeout ignores its interrupt. */
    private static final long DEAF_MILLIS = 60_000;
    private static final long IDLE_MILLIS = 600_000;

    private final DurationPercentiles durations = new DurationPercentiles();
    private AttemptTimeout usual = new AttemptTimeout(this, 1, 1, false);
    private double samples;
    private double p50Millis;
    private double p999Millis;
    private int samplesToUpdate = 1;
    private double attempts;
    private double timedOut;
    private long attemptsSinceReport;
    private double activity;
    private int timeoutsInRow;
    /** Factor of the next probe as a power of two. */
    private int doublings = 1;
    private int startsSinceProbe;
    private long probeEndsMillis = Long.MIN_VALUE;
    private long lastUsedMillis;

    /**
     * Returns the timeout of an attempt that starts now.
     *
     * @param attemptsBefore attempts made at the item before, 0 or more
     * @param mayBeLast      whether its failure could make the item a dead letter
     */
    AttemptTimeout start(TenantPolicy policy, int attemptsBefore, boolean mayBeLast, long nowMillis) {
        lastUsedMillis = nowMillis;
        if (!policy.timeoutAuto()) {
            return usual(policy.timeoutMillis());
        }
        long usualMillis = autoMillis(policy);
        if (attemptsBefore > 0 || mayBeLast) {
            long fixedMillis = AutoTimeout.millis(
                    0, 0, 0, policy.timeoutMillis(), policy.count(PolicyField.TIMEOUT_MIN), policy.timeoutMaxMillis());
            long retryMillis = mayBeLast ? fixedMillis : Math.min(fixedMillis, times(usualMillis, attemptsBefore));
            return new AttemptTimeout(this, Math.max(usualMillis, retryMillis), usualMillis, false);
        }
        startsSinceProbe++;
        int probeDoublings = nowMillis < probeEndsMillis ? 0 : probeDoublings();
        long probeMillis = Math.min(policy.timeoutMaxMillis(), times(usualMillis, probeDoublings));
        if (probeMillis <= usualMillis) {
            return usual(usualMillis);
        }
        startsSinceProbe = 0;
        probeEndsMillis = nowMillis + probeMillis + DEAF_MILLIS;
        return new AttemptTimeout(this, probeMillis, usualMillis, true);
    }

    /** Records the end of an attempt that {@link #start} has returned the timeout of. */
    void ended(AttemptTimeout timeout, Outcome result, long durationNanos) {
        if (timeout.isProbe) {
            probeEndsMillis = Long.MIN_VALUE;
        }
        if (result instanceof Outcome.Interrupted) {
            return;
        }
        attemptsSinceReport++;
        attempts += 1 - attempts / SHARE_WINDOW;
        timedOut -= timedOut / SHARE_WINDOW;
        if (result instanceof Outcome.TimedOut) {
            timedOut++;
            timedOut(timeout);
        } else if (result instanceof Outcome.Done) {
            succeeded(timeout, durationNanos);
        }
    }

    /** Returns the timeout of first attempts with {@code timeout: auto}. */
    long autoMillis(TenantPolicy policy) {
        return AutoTimeout.millis(samples, p50Millis, p999Millis,
                policy.timeoutMillis(), policy.count(PolicyField.TIMEOUT_MIN), policy.timeoutMaxMillis());
    }

    TimeoutStats stats(TenantPolicy policy) {
        update();
        return new TimeoutStats(
                Math.round(samples), p50Millis, durations.millis(0.99), p999Millis, Math.round(attempts),
                Math.round(timedOut), timeoutsInRow, autoMillis(policy),
                policy.timeoutAuto() ? autoMillis(policy) : policy.timeoutMillis(), false);
    }

    /**
     * Returns the attempts since the last call and half of the result of that: the activity of the tenant. Called at
     * regular intervals.
     */
    double updateActivity() {
        activity = activity / 2 + attemptsSinceReport;
        attemptsSinceReport = 0;
        return activity;
    }

    boolean alwaysTimesOut() {
        return timeoutsInRow >= TimeoutStats.ALWAYS;
    }

    /** Returns whether no attempt has started for ten minutes. */
    boolean isIdle(long nowMillis) {
        return nowMillis - lastUsedMillis >= IDLE_MILLIS;
    }

    /** Returns the factor of the probe to start now as a power of two, 0 for none. */
    private int probeDoublings() {
        if (timeoutsInRow >= 1 << doublings) {
            return doublings;
        }
        return startsSinceProbe >= PROBE_EVERY && timeoutsInRow < MAX_FACTOR && samples >= AutoTimeout.LEAST_SAMPLES
                ? Math.min(doublings, MAX_FACTOR_DOUBLINGS) : 0;
    }

    private void timedOut(AttemptTimeout timeout) {
        timeoutsInRow = Math.min(timeoutsInRow + 1, Integer.MAX_VALUE - 1);
        if (timeout.isProbe && (doublings < MAX_FACTOR_DOUBLINGS || timeoutsInRow >= 1 << doublings)) {
            doublings = Math.min(doublings + 1, MAX_DOUBLINGS);
        }
    }

    private void succeeded(AttemptTimeout timeout, long durationNanos) {
        boolean isAbove = durationNanos > timeout.usualMillis * 1_000_000;
        boolean isSlower = isAbove && timeoutsInRow >= 2;
        if (isSlower) {
            durations.decayTo(AFTER_RUN_SAMPLES);
        }
        durations.add(durationNanos, isSlower || isAbove && timeout.isProbe ? PROBE_EVERY : 1);
        timeoutsInRow = 0;
        doublings = isAbove && timeout.isProbe ? 1 : Math.min(doublings, MAX_FACTOR_DOUBLINGS);
        if (--samplesToUpdate <= 0 || isAbove) {
            update();
        }
    }

    private void update() {
        samples = durations.samples();
        samplesToUpdate = SAMPLES_PER_UPDATE;
        p50Millis = durations.millis(0.5);
        p999Millis = durations.millis(0.999);
    }

    /** Returns the timeout of an attempt that is as long as usual. */
    AttemptTimeout usual(long millis) {
        if (usual.millis() != millis) {
            usual = new AttemptTimeout(this, millis, millis, false);
        }
        return usual;
    }

    private static long times(long millis, int doublings) {
        return doublings >= Long.numberOfLeadingZeros(millis) - 1 ? Long.MAX_VALUE : millis << doublings;
    }
}
