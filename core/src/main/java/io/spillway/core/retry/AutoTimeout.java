package io.spillway.core.retry;

/**
 * Rule for the timeout of an attempt from the durations of successful ones: the p99.9, which accepts one false timeout
 * in a thousand, with padding where it is close to the p50, because a small rise of the latency would then be many
 * timeouts (D. Yanacek, "Timeouts, retries, and backoff with jitter", Amazon Builders' Library).
 *
 * <ul>
 * <li>Below {@value #LEAST_SAMPLES} samples the fixed timeout applies.
 * <li>Below {@value #ENOUGH_SAMPLES} samples the p99.9 is unknown. It is extrapolated from the largest sample, as the
 * tail of a Pareto distribution with index 1, whose quantiles are proportional to the number of samples: 3.3 times
 * the largest of 300. It does not exceed the fixed timeout unless a sample did.
 * <li>The timeout is at least {@value #PADDING} times the p50.
 * <li>It is within the policy's minimum and maximum.
 * </ul>
 */
public final class AutoTimeout {
    /** Samples from which on there is an automatic timeout. */
    public static final int LEAST_SAMPLES = 300;
    /** Samples from which on one of them is above the p99.9. */
    public static final int ENOUGH_SAMPLES = 1_000;
    /** Least ratio of the timeout to the p50. */
    static final int PADDING = 3;

    private AutoTimeout() {}

    /**
     * Returns the timeout, 1 ms or more.
     *
     * @param samples     number of samples that count, 0 or more
     * @param p50Millis   median of them
     * @param p999Millis  their p99.9
     * @param fixedMillis timeout before there are enough samples
     * @param minMillis   least timeout
     * @param maxMillis   longest timeout; it takes precedence over the least
     */
    public static long millis(
            double samples, double p50Millis, double p999Millis, long fixedMillis, long minMillis, long maxMillis) {
        double millis = fixedMillis;
        if (samples >= LEAST_SAMPLES) {
            double extrapolated = p999Millis * Math.max(1, ENOUGH_SAMPLES / samples);
            millis = Math.max(Math.max(p999Millis, PADDING * p50Millis), Math.min(extrapolated, fixedMillis));
        }
        return Math.min(maxMillis, Math.max(minMillis, (long) Math.ceil(millis)));
    }
}
