package io.spillway.core.ratelimit;

import io.spillway.core.policy.RateLimit;

/**
 * Result of a {@link RateTable} for one item, and the tenant's state after it.
 *
 * @param admitted   whether the item is within the limit
 * @param limit      the limit that was applied
 * @param aheadNanos how far the theoretical arrival time is ahead of now; 0 for a full bucket
 */
public record RateDecision(boolean admitted, RateLimit limit, long aheadNanos) {
    /** Returns the number of items that may arrive at once now, 0 or more. */
    public long remaining() {
        return Math.max(0, (limit.toleranceNanos() - aheadNanos) / limit.intervalNanos());
    }

    /** Returns the number of items of a full bucket. */
    public long burst() {
        return limit.toleranceNanos() / limit.intervalNanos();
    }

    /** Returns the time until the next item fits, milliseconds rounded up; 0 when one fits now. */
    public long nextMillis() {
        return ceilMillis(aheadNanos + limit.intervalNanos() - limit.toleranceNanos());
    }

    /** Returns the time until the bucket is full without further items, milliseconds rounded up. */
    public long fullMillis() {
        return ceilMillis(aheadNanos);
    }

    private static long ceilMillis(long nanos) {
        return Math.max(0, Math.ceilDiv(nanos, 1_000_000L));
    }
}
