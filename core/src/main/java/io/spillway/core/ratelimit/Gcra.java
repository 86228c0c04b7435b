package io.spillway.core.ratelimit;

import io.spillway.core.policy.RateLimit;

/**
 * Generic cell rate algorithm in its virtual-scheduling form (ITU-T I.371, annex A): a leaky bucket whose only state is
 * the theoretical arrival time of the next item. The state 0 is an unused bucket. A rejected item does not change the
 * state.
 */
public final class Gcra {
    /** Result of {@link #next} for an item over the limit. */
    public static final long REFUSED = -1;

    private Gcra() {}

    /**
     * Returns the state after one more item, or {@link #REFUSED}.
     *
     * @param theoreticalArrivalNanos the current state, 0 or more
     * @param nowNanos                now on the same clock, above 0
     */
    public static long next(long theoreticalArrivalNanos, long nowNanos, RateLimit limit) {
        long next = Math.max(theoreticalArrivalNanos, nowNanos) + limit.intervalNanos();
        return next - nowNanos > limit.toleranceNanos() ? REFUSED : next;
    }
}
