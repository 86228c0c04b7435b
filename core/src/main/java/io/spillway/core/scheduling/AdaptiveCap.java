package io.spillway.core.scheduling;

/**
 * Adaptive concurrency limit for one tenant: the point past which extra slots only add latency.
 *
 * <p>Delay-based congestion control (Brakmo and Peterson, "TCP Vegas", 1995; Netflix concurrency-limits, Gradient2)
 * compares a fast average of the latency with its lowest values, the baseline. Here a latency is the median of a
 * cohort: {@value #COHORT} attempts that started one after the other. It is known when half of them have ended, and no
 * short attempt counts before the long ones that started with it: of attempts whose durations vary, those that end
 * first are short, and what ends becomes longer and longer without any change. The averages are of logarithms. A rise
 * must be a factor of two and outside the control limits of the fast average (Roberts, "Control chart tests based on
 * geometric moving averages", 1959), so that a latency that merely varies does not count. Then the limit falls to a
 * quarter, for a trial: it stays there only if the median of {@value #TRIAL_COHORT} attempts that start there is half
 * as long. What became slower whatever the concurrency is no reason for a limit. The limit grows only with completions
 * that used it, doubling at first (RFC 5681, RFC 7661): a tenant whose attempts hang gets no more slots before the
 * first of them ends.
 *
 * <p>Mutable, not thread-safe. Owner: the tenant's {@link DispatchTenant}.
 */
final class AdaptiveCap {
    /** Limit of a new tenant and of one that was idle. */
    static final int INITIAL = 4;

    /** Cohort of an attempt that belongs to none. */
    static final int NO_COHORT = 0;

    /** An odd number, so that one of them is the median. */
    private static final int COHORT = 11;
    /** Few, because at a low limit with long attempts a trial takes as many times an attempt. */
    private static final int TRIAL_COHORT = 5;
    private static final int QUARTILE = COHORT / 4;
    /** Standard deviation of a median by its distance from the lower quartile, if logarithms are normal. */
    private static final double DEVIATION_OF_MEDIAN = 1.2533 / Math.sqrt(COHORT) / 0.6745;

    private static final double FAST = 1.0 / 2;
    private static final double SLOW = 1.0 / 50;
    /** The baseline rises slowly, because it is the latency at low concurrency; a trial can raise it at once. */
    private static final double CREEP = 1.0 / 500;
    /** Smallest factor that counts as a rise. */
    private static final double RISE = Math.log(2);
    /** Width of the control limits in standard deviations of the fast average. */
    private static final double SIGMAS = 8;
    /** Cohorts needed for a baseline. */
    private static final int WARM_UP = 2;
    /** Part of the limit at which it shows whether concurrency was the cause: by that much latency must then fall. */
    private static final double TRIAL = 0.25;
    private static final double FALL = Math.log(2);
    /** An unused limit falls more slowly, by a half in 70 ends. */
    private static final double FADE = 0.99;

    private double limit = INITIAL;
    private double slowStartEnd = Double.MAX_VALUE;
    private boolean raised;
    private long raisedSinceNanos;
    private double limitAtRise;
    private double latencyAtRise;
    private int cohort = 1;
    /** Attempts of the cohort. */
    private int size = COHORT;
    private int started;
    private int ended;
    private long lastStartedNanos;
    /** Durations of those that have ended, in order: the shortest ones, up to the median. */
    private final double[] shortestMillis = new double[COHORT / 2 + 1];
    private int medians;
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

    /** Records the start of an attempt, which {@code inFlight} includes, and returns its cohort. */
    int started(int inFlight, long nowNanos) {
        runningPeak = Math.max(runningPeak, inFlight);
        if (started == size) {
            return NO_COHORT;
        }
        started++;
        lastStartedNanos = nowNanos;
        return cohort;
    }

    /** Records that an attempt of this cohort was none: nothing is measured. */
    void cancelled(int itsCohort) {
        if (itsCohort == cohort) {
            started--;
        }
    }

    /**
     * Records the latency of an attempt that has ended, whatever its outcome.
     *
     * @param itsCohort from {@link #started}
     * @param millis    0 or more; below 1 ms counts as 1 ms, since such differences are noise
     * @param inFlight  slots the tenant still holds
     * @param most      upper bound for the limit, 1 or more
     */
    void ended(int itsCohort, double millis, int inFlight, int most, long nowNanos) {
        if (itsCohort == cohort) {
            add(Math.max(1, millis));
        }
        if (isMedianKnown(nowNanos)) {
            measured(nowNanos);
            next();
        }
        int peak = Math.max(runningPeak, previousPeak);
        if (!raised && peak >= limitAtRound - 1) {
            // Each one that takes far longer than usual may be the first of a rise.
            boolean isUsual = medians == 0 || Math.log(millis) - fast <= RISE;
            double more = limit < slowStartEnd ? 1 : 1 / Math.sqrt(limit);
            limit = isUsual ? Math.min(Math.max(most, INITIAL), limit + more) : limit;
        } else if (!raised && peak < limit / 2) {
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
        next();
    }

    private void add(double millis) {
        int median = size / 2;
        int index = Math.min(ended++, median + 1);
        for (; index > 0 && shortestMillis[index - 1] > millis; index--) {
            if (index <= median) {
                shortestMillis[index] = shortestMillis[index - 1];
            }
        }
        if (index <= median) {
            shortestMillis[index] = millis;
        }
    }

    /** It is when those that still run have all taken longer. */
    private boolean isMedianKnown(long nowNanos) {
        return started == size && ended > size / 2
                && (ended == size || nowNanos - lastStartedNanos >= shortestMillis[size / 2] * 1e6);
    }

    private void next() {
        cohort = cohort == Integer.MAX_VALUE ? 1 : cohort + 1;
        size = raised ? TRIAL_COHORT : COHORT;
        started = 0;
        ended = 0;
    }

    private void measured(long nowNanos) {
        double median = Math.log(shortestMillis[size / 2]);
        if (raised && median > latencyAtRise - FALL) {
            // Not by concurrency: the attempts themselves have become longer.
            fast = median;
            baseline = median;
            limit = Math.max(limitAtRise, INITIAL);
            slowStartEnd = Double.MAX_VALUE;
            raised = false;
            return;
        }
        if (raised) {
            fast = median;
        } else {
            average(median, Math.log(shortestMillis[QUARTILE]));
        }
        double fastDeviation = Math.sqrt(variance * FAST / (2 - FAST));
        boolean rises = medians > WARM_UP && fast - baseline > Math.max(RISE, SIGMAS * fastDeviation);
        if (rises && !raised) {
            slowStartEnd = Math.max(1, limit / 2);
            raisedSinceNanos = nowNanos;
        }
        if (rises) {
            latencyAtRise = Math.max(fast, median);
            limitAtRise = limit;
            limit = Math.max(1, limit * TRIAL);
        }
        raised = rises;
    }

    private void average(double median, double quartile) {
        double deviation = (median - quartile) * DEVIATION_OF_MEDIAN;
        if (medians == 0) {
            fast = median;
        }
        medians = Math.min(medians + 1, (int) (1 / SLOW));
        double share = 1.0 / medians;
        variance += (deviation * deviation - variance) * share;
        fast += (median - fast) * FAST;
        baseline += medians <= WARM_UP ? (median - baseline) * share
                : (fast - baseline) * (fast < baseline ? FAST : CREEP);
    }
}
