package io.spillway.core.scheduling;

/**
 * Adaptive concurrency limit for one tenant: the point past which extra slots only add latency.
 *
 * <p>Delay-based congestion control (Brakmo and Peterson, "TCP Vegas", 1995; Netflix concurrency-limits, Gradient2)
 * compares a fast average of the latency with its lowest values, the baseline. This class averages logarithms, so that
 * one slow attempt is not a rise. A rise must be a factor of two and outside the control limits of the fast average
 * (Roberts, "Control chart tests based on geometric moving averages", 1959), so that a latency that merely varies does
 * not count. Then the limit falls to a quarter, and stays there only if the attempts that begin there take half as
 * long: what became slower whatever the concurrency is no reason for a limit. The limit grows only with completions
 * that used it, doubling at first (RFC 5681, RFC 7661): a tenant whose attempts hang gets no more slots before the
 * first of them ends.
 *
 * <p>{@link CommonLatencyRise} subtracts what raises the latency of all tenants at once.
 *
 * <p>Mutable, not thread-safe. Owner: the tenant's {@link DispatchTenant}.
 */
final class AdaptiveCap {
    /** Limit of a new tenant and of one that was idle. */
    static final int INITIAL = 4;

    private static final double FAST = 1.0 / 20;
    private static final double SLOW = 1.0 / 500;
    /** The baseline rises slowly, because it is the latency at low concurrency; a trial can raise it at once. */
    private static final double CREEP = 1.0 / 10_000;
    /** Smallest factor that counts as a rise. */
    private static final double RISE = Math.log(2);
    /** Width of the control limits in standard deviations of the fast average. */
    private static final double SIGMAS = 10;
    /** A larger deviation of one latency counts as this many standard deviations. */
    private static final double USUAL_SIGMAS = 3;
    /** Samples needed for a baseline. */
    private static final int WARM_UP = 16;
    /** In 10 samples a limit of n falls to n / e: within one batch of attempts even when n is small. */
    private static final double DECREASE = 0.9;
    /** Part of the limit at which it shows whether concurrency was the cause: by that much latency must then fall. */
    private static final double TRIAL = 0.25;
    private static final double FALL = Math.log(2);
    /** An unused limit falls more slowly, by a half in 70 samples. */
    private static final double FADE = 0.99;

    private double limit = INITIAL;
    private double slowStartEnd = Double.MAX_VALUE;
    private boolean raised;
    private long raisedSinceNanos;
    private double limitAtRise;
    private double fastAtRise;
    private int beforeTrial;
    private int inTrial;
    private double sumInTrial;
    private int samples;
    private double fast;
    private double baseline;
    private double variance;
    /** Most slots held at one time in the current batch of attempts and in the one before. */
    private int runningPeak;
    private int previousPeak;
    private int endedInRound;
    private double limitAtRound = INITIAL;

    /** Returns the most slots the tenant may hold now, 1 or more. */
    int limit() {
        return (int) limit;
    }

    boolean isRaised() {
        return raised;
    }

    /** Returns whether the latency has been above its baseline without a break for this time. */
    boolean isRaisedFor(long nanos, long nowNanos) {
        return raised && nowNanos - raisedSinceNanos >= nanos;
    }

    /** Returns how far the latency is above its baseline, as a logarithm; 0 until there is a baseline. */
    double rise() {
        return samples < WARM_UP ? 0 : fast - baseline;
    }

    /** Records the start of an attempt, which {@code inFlight} includes. */
    void started(int inFlight) {
        runningPeak = Math.max(runningPeak, inFlight);
    }

    /**
     * Records the latency of an attempt that has ended, whatever its outcome.
     *
     * @param millis   0 or more; below 1 ms counts as 1 ms, since such differences are noise
     * @param inFlight slots the tenant still holds
     * @param most     upper bound for the limit, 1 or more
     * @param common   rise that all tenants share, as a logarithm, 0 or more
     */
    void ended(double millis, int inFlight, int most, double common, long nowNanos) {
        double logMillis = Math.log(Math.max(1, millis));
        measure(logMillis, common, nowNanos);
        int peak = Math.max(runningPeak, previousPeak);
        if (raised && limit > Math.max(1, limitAtRise * TRIAL)) {
            limit = Math.max(1, limit * DECREASE);
            fastAtRise = Math.max(fastAtRise, fast);
            beforeTrial = inFlight;
            inTrial = 0;
            sumInTrial = 0;
        } else if (raised) {
            tried(logMillis);
        } else if (peak >= limitAtRound - 1) {
            limit = Math.min(Math.max(most, INITIAL), limit + (limit < slowStartEnd ? 1 : 1 / Math.sqrt(limit)));
        } else if (peak < limit / 2) {
            limit = Math.max(Math.min(limit, INITIAL), limit * FADE);
        }
        if (++endedInRound >= runningPeak) {
            endedInRound = 0;
            previousPeak = runningPeak;
            runningPeak = inFlight;
            limitAtRound = limit;
        }
    }

    /** Resets the limit after an idle period, since the measurements are out of date. */
    void rest() {
        limit = Math.min(limit, INITIAL);
        limitAtRound = limit;
        slowStartEnd = Double.MAX_VALUE;
    }

    /**
     * Judges a rise by the attempts that began at a quarter of the concurrency. If they take as long, the attempts
     * themselves have become longer, or the short ones ended first, and a limit would only make the tenant wait.
     */
    private void tried(double logMillis) {
        if (beforeTrial > 0) {
            beforeTrial--;
            return;
        }
        sumInTrial += logMillis;
        if (++inTrial < WARM_UP) {
            return;
        }
        if (sumInTrial / inTrial > fastAtRise - FALL) {
            raised = false;
            fast = sumInTrial / inTrial;
            baseline = fast;
            limit = Math.max(limitAtRise, INITIAL);
            slowStartEnd = Double.MAX_VALUE;
        } else {
            limitAtRise = limit;
            fastAtRise = fast;
        }
        inTrial = 0;
        sumInTrial = 0;
    }

    private void measure(double logMillis, double common, long nowNanos) {
        if (samples == 0) {
            fast = logMillis;
            baseline = logMillis;
        }
        samples = Math.min(samples + 1, (int) (1 / SLOW));
        double share = 1.0 / samples;
        // From the fast average, since what concurrency does to the latency is no variance. Clipped, since otherwise a
        // jump would first widen the limits that should detect it.
        double usual = Math.min(Math.abs(logMillis - fast), Math.max(RISE, USUAL_SIGMAS * Math.sqrt(variance)));
        variance += (usual * usual - variance) * share;
        fast += (logMillis - fast) * FAST;
        baseline += samples < WARM_UP ? (logMillis - baseline) * share
                : (fast - baseline) * (fast < baseline ? FAST : CREEP);

        double fastDeviation = Math.sqrt(variance * FAST / (2 - FAST));
        boolean rises = samples >= WARM_UP && fast - baseline - common > Math.max(RISE, SIGMAS * fastDeviation);
        if (rises && !raised) {
            slowStartEnd = Math.max(1, limit / 2);
            raisedSinceNanos = nowNanos;
            limitAtRise = limit;
            fastAtRise = fast;
        }
        raised = rises;
    }
}
