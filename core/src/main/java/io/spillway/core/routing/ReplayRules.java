package io.spillway.core.routing;

/** Due times of replayed items. */
public final class ReplayRules {
    /** Maximum wait in the delay lane, in milliseconds: 30 days. It exceeds any backoff and detects wrong units. */
    public static final long LONGEST_WAIT_MILLIS = 30L * 24 * 60 * 60 * 1000;

    private static final double MILLIS_PER_SECOND = 1000;

    private ReplayRules() {}

    /**
     * Returns the due time of an item of a replay, by its index from 0. The first is due at once, the others at even
     * intervals for a rate above 0.
     */
    public static long dueMillis(long startMillis, long index, double perSecond) {
        return startMillis + waitMillis(index, perSecond);
    }

    /** Returns whether the last item of a replay at a rate above 0 is due within {@link #LONGEST_WAIT_MILLIS}. */
    public static boolean fits(long count, double perSecond) {
        return count <= 1 || waitMillis(count - 1, perSecond) <= LONGEST_WAIT_MILLIS;
    }

    private static long waitMillis(long index, double perSecond) {
        // The cast of a double that is too large gives Long.MAX_VALUE.
        return Math.min((long) (index * MILLIS_PER_SECOND / perSecond), Long.MAX_VALUE / 2);
    }
}
