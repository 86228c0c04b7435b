package io.spillway.core.ratelimit;

import io.spillway.core.policy.RateLimit;

/**
 * The generic cell rate algorithm in its virtual-scheduling form (ITU-T I.371, annex A): a leaky bucket whose whole
 * state is one number, the theoretical arrival time of the next item.
 *
 * <p>The state 0 is a bucket never used. An item that is refused leaves the state as it was.
 */
public final class Gcra {
    /** What {@link #next} answers when the item is over the limit. */
    public static final long REFUSED = -1;

    private Gcra() {}

    /**
     * The state after one more item.
     *
     * @param theoreticalArrivalNanos the state so far, 0 or more
     * @param nowNanos                now on the same clock, above 0
     * @param limit                   rate and burst, not null
     * @return the new state, or {@link #REFUSED}
     */
    public static long next(long theoreticalArrivalNanos, long nowNanos, RateLimit limit) {
        long next = Math.max(theoreticalArrivalNanos, nowNanos) + limit.intervalNanos();
        return next - nowNanos > limit.toleranceNanos() ? REFUSED : next;
    }
}
