package io.spillway.policy;

/**
 * A rate with a burst in the two numbers that GCRA works with.
 *
 * @param intervalNanos  nanoseconds between items at the rate, 1 or more
 * @param toleranceNanos how far ahead of now the theoretical arrival time may run: burst times the interval
 */
public record RateLimit(long intervalNanos, long toleranceNanos) {
    /** A tolerance beyond a year changes nothing and would overflow. */
    private static final double MAX_TOLERANCE_NANOS = 365.0 * 86_400 * 1e9;

    /**
     * Makes a limit.
     *
     * @param itemsPerSecond above 0
     * @param burst          items that may come at once, 1 or more
     * @throws IllegalArgumentException when either is out of range
     */
    public static RateLimit of(double itemsPerSecond, long burst) {
        if (!(itemsPerSecond > 0) || burst < 1) {
            throw new IllegalArgumentException("rate " + itemsPerSecond + ", burst " + burst + ": must be above 0, and 1 or more");
        }
        long intervalNanos = Math.max(1, Math.round(1e9 / itemsPerSecond));
        return new RateLimit(intervalNanos, (long) Math.min((double) burst * intervalNanos, MAX_TOLERANCE_NANOS));
    }
}
