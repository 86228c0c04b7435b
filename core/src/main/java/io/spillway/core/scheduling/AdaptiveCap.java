package io.spillway.core.scheduling;

/**
 * How many slots one tenant may hold beyond which its work is only making its destination slower.
 *
 * <p>It follows the published idea of delay-based congestion control (Brakmo and Peterson, "TCP Vegas", 1995; Netflix
 * concurrency-limits, Gradient2): a fast average of the latency is compared with a slow one, the baseline. Three things
 * differ. The averages are of logarithms, so that one straggler is not a rise. What counts as a rise is both a factor
 * of two and outside the control limits of the fast average (Roberts, "Control chart tests based on geometric moving
 * averages", 1959), so that latency that merely varies is left alone, whatever its level. And the limit grows only by
 * completions that used it, doubling at first, as in TCP's slow start (RFC 5681, RFC 7661): a tenant whose attempts have
 * stopped to end can take nothing more, long before the first of them ends late.
 *
 * <p>What all tenants' latencies do at one time is the worker's own slowness and no tenant's: see {@link CommonLatencyRise}.
 *
 * <p>Mutable, not thread-safe; its tenant owns it.
 */
final class AdaptiveCap {
    /** Where a tenant begins, and begins again after it was idle. */
    static final int INITIAL = 4;

    private static final double FAST = 1.0 / 20;
    private static final double SLOW = 1.0 / 500;
    /** A rise below this factor is none. */
    private static final double RISE = Math.log(2);
    /** Width of the control limits in standard deviations of the fast average. */
    private static final double SIGMAS = 4;
    /** Beyond so many standard deviations of single latencies, one counts as that many. */
    private static final double USUAL_SIGMAS = 3;
    /** Samples before the baseline is one. */
    private static final int WARM_UP = 16;
    /** A limit of n falls to n / e in 10 samples: within one round of attempts even when n is small. */
    private static final double DECREASE = 0.9;
    /** An unused limit fades more slowly, by a half in 70 samples. */
    private static final double FADE = 0.99;

    private double limit = INITIAL;
    private double slowStartEnd = Double.MAX_VALUE;
    private boolean raised;
    private long raisedSinceNanos;
    private int samples;
    private double fast;
    private double baseline;
    private double variance;
    /** Most slots held at one time in the running round of attempts and in the one before. */
    private int runningPeak;
    private int previousPeak;
    private int endedInRound;
    private double limitAtRound = INITIAL;

    /** Most slots now, 1 or more. */
    int limit() {
        return (int) limit;
    }

    /** Whether the latency is above its baseline. */
    boolean isRaised() {
        return raised;
    }

    /** Whether the latency has been above its baseline without a break for so long. */
    boolean isRaisedFor(long nanos, long nowNanos) {
        return raised && nowNanos - raisedSinceNanos >= nanos;
    }

    /** How far the latency is above its baseline, as a logarithm; 0 until there is a baseline. */
    double rise() {
        return samples < WARM_UP ? 0 : fast - baseline;
    }

    /**
     * An attempt has started.
     *
     * @param inFlight slots the tenant holds, this attempt included
     */
    void started(int inFlight) {
        runningPeak = Math.max(runningPeak, inFlight);
    }

    /**
     * Takes the latency of one attempt that has ended, whatever its outcome.
     *
     * @param millis   0 or more; below 1 ms counts as 1 ms, since noise down there says nothing
     * @param inFlight slots the tenant still holds
     * @param most     the limit grows no further, 1 or more
     * @param common   how far everybody's latency is above its baseline, as a logarithm, 0 or more
     * @param nowNanos now, on a clock that does not go back
     */
    void ended(double millis, int inFlight, int most, double common, long nowNanos) {
        measure(Math.log(Math.max(1, millis)), common, nowNanos);
        int peak = Math.max(runningPeak, previousPeak);
        if (raised) {
            limit = Math.max(1, limit * DECREASE);
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

    /** The tenant was idle for a while: what it had earned says nothing about now. */
    void rest() {
        limit = Math.min(limit, INITIAL);
        limitAtRound = limit;
        slowStartEnd = Double.MAX_VALUE;
    }

    private void measure(double logMillis, double common, long nowNanos) {
        if (samples == 0) {
            fast = logMillis;
            baseline = logMillis;
        }
        samples = Math.min(samples + 1, (int) (1 / SLOW));
        fast += (logMillis - fast) * FAST;
        double share = 1.0 / samples;
        double deviation = logMillis - baseline;
        // Cut off, or the jump that is to be seen would first widen the limits it is seen by.
        double usual = Math.min(Math.abs(deviation), Math.max(RISE, USUAL_SIGMAS * Math.sqrt(variance)));
        baseline += deviation * share;
        variance += (usual * usual - variance) * share;

        double fastDeviation = Math.sqrt(variance * FAST / (2 - FAST));
        boolean rises = samples >= WARM_UP && fast - baseline - common > Math.max(RISE, SIGMAS * fastDeviation);
        if (rises && !raised) {
            slowStartEnd = Math.max(1, limit / 2);
            raisedSinceNanos = nowNanos;
        }
        raised = rises;
    }
}
