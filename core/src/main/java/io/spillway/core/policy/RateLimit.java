package io.spillway.core.policy;

/**
 * Rate and burst as the two numbers of the generic cell rate algorithm in its virtual-scheduling form (ITU-T I.371,
 * annex A): a leaky bucket whose only state is the theoretical arrival time of the next item. The state 0 is an unused
 * bucket. A rejected item does not change the state.
 *
 * @param intervalNanos  nanoseconds between items at the rate, 1 or more
 * @param toleranceNanos how far the theoretical arrival time may be ahead of now: burst times interval
 */
public record RateLimit(long intervalNanos, long toleranceNanos) {
    /** Result of {@link #next} for an item over the limit. */
    public static final long REFUSED = -1;
    /** Upper bound of both values: a year. It keeps the sums of {@link #next} far from overflow. */
    public static final long MAX_NANOS = 365L * 86_400 * 1_000_000_000;

    public RateLimit {
        if (intervalNanos < 1 || toleranceNanos < intervalNanos || toleranceNanos > MAX_NANOS) {
            throw new IllegalArgumentException("interval " + intervalNanos + " ns, tolerance " + toleranceNanos
                    + " ns: must be 1 or more, and from the interval to a year");
        }
    }

    /**
     * Creates a limit. A rate below one item a year is raised to that; a burst is limited to the items of a year.
     *
     * @param itemsPerSecond above 0
     * @param burst          items that may arrive at once, 1 or more
     */
    public static RateLimit of(double itemsPerSecond, long burst) {
        if (!(itemsPerSecond > 0) || burst < 1) {
            throw new IllegalArgumentException(
                    "rate " + itemsPerSecond + ", burst " + burst + ": must be above 0, and 1 or more");
        }
        long intervalNanos = Math.clamp(Math.round(1e9 / itemsPerSecond), 1, MAX_NANOS);
        return new RateLimit(intervalNanos, burst > MAX_NANOS / intervalNanos ? MAX_NANOS : burst * intervalNanos);
    }

    /** Creates a limit as {@link #of} does; {@link Long#MAX_VALUE} stands for a burst of one second of the rate. */
    static RateLimit orOneSecond(double itemsPerSecond, long burst) {
        return of(itemsPerSecond, burst == Long.MAX_VALUE ? Math.max(1, (long) Math.ceil(itemsPerSecond)) : burst);
    }

    /**
     * Returns the state after one more item, or {@link #REFUSED}.
     *
     * @param theoreticalArrivalNanos the current state, 0 or more
     * @param nowNanos                now on the same clock, above 0
     */
    public long next(long theoreticalArrivalNanos, long nowNanos) {
        long next = Math.max(theoreticalArrivalNanos, nowNanos) + intervalNanos;
        return next - nowNanos > toleranceNanos ? REFUSED : next;
    }

    /** Returns the rate in items a second. */
    public double itemsPerSecond() {
        return 1e9 / intervalNanos;
    }

    /** Returns a part of this limit: that share, above 0 to 1, of rate and burst, but a burst of at least one item. */
    public RateLimit part(double share) {
        long longer = Math.clamp(Math.round(intervalNanos / share), intervalNanos, MAX_NANOS);
        // A share of the burst at the same share of the rate has the same tolerance.
        return new RateLimit(longer, Math.max(longer, toleranceNanos));
    }
}
