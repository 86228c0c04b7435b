package io.spillway.core.ratelimit;

import io.spillway.core.policy.RateLimit;

/**
 * What a {@link RateTable} said to one item, and where its tenant stands afterwards.
 *
 * @param admitted   whether the item is within the limit
 * @param limit      the limit it was held to
 * @param aheadNanos how far the theoretical arrival time is ahead of now: 0 for a bucket that is full again
 */
public record RateDecision(boolean admitted, RateLimit limit, long aheadNanos) {
    /** Items that may come at once now, 0 or more. */
    public long remaining() {
        return Math.max(0, (limit.toleranceNanos() - aheadNanos) / limit.intervalNanos());
    }

    /** Items of a full bucket. */
    public long burst() {
        return limit.toleranceNanos() / limit.intervalNanos();
    }

    /** Until the next item is within the limit, milliseconds rounded up; 0 when one is now. */
    public long nextMillis() {
        return ceilMillis(aheadNanos + limit.intervalNanos() - limit.toleranceNanos());
    }

    /** Until the bucket is full again when nothing more comes, milliseconds rounded up. */
    public long fullMillis() {
        return ceilMillis(aheadNanos);
    }

    private static long ceilMillis(long nanos) {
        return Math.max(0, Math.ceilDiv(nanos, 1_000_000L));
    }
}
