package io.spillway.core.policy;

import io.spillway.core.ratelimit.Gcra;

/**
 * A rate with a burst in the two numbers that GCRA works with.
 *
 * @param intervalNanos  nanoseconds between items at the rate, 1 or more
 * @param toleranceNanos how far ahead of now the theoretical arrival time may run: burst times the interval
 */
public record RateLimit(long intervalNanos, long toleranceNanos) {
    /** A year: nobody waits longer for one item, and the sums of {@link Gcra} stay far from overflow. */
    public static final long MAX_NANOS = 365L * 86_400 * 1_000_000_000;

    public RateLimit {
        if (intervalNanos < 1 || toleranceNanos < intervalNanos || toleranceNanos > MAX_NANOS) {
            throw new IllegalArgumentException("interval " + intervalNanos + " ns, tolerance " + toleranceNanos
                    + " ns: must be 1 or more, and from the interval to a year");
        }
    }

    /**
     * Makes a limit. A rate below one item a year counts as one a year, a burst of more than a year's items as a year's.
     *
     * @param itemsPerSecond above 0
     * @param burst          items that may come at once, 1 or more
     * @throws IllegalArgumentException when either is out of range
     */
    public static RateLimit of(double itemsPerSecond, long burst) {
        if (!(itemsPerSecond > 0) || burst < 1) {
            throw new IllegalArgumentException("rate " + itemsPerSecond + ", burst " + burst + ": must be above 0, and 1 or more");
        }
        long intervalNanos = Math.clamp(Math.round(1e9 / itemsPerSecond), 1, MAX_NANOS);
        return new RateLimit(
                intervalNanos, burst > MAX_NANOS / intervalNanos ? MAX_NANOS : burst * intervalNanos);
    }

    /** Items a second at this rate. */
    public double itemsPerSecond() {
        return 1e9 / intervalNanos;
    }

    /**
     * A part of this limit: of its rate, and of its burst, but for one item at the least.
     *
     * @param share above 0 to 1
     */
    public RateLimit part(double share) {
        long longer = Math.clamp(Math.round(intervalNanos / share), intervalNanos, MAX_NANOS);
        // A part of the burst at a part of the rate takes as long.
        return new RateLimit(longer, Math.max(longer, toleranceNanos));
    }
}
