package io.spillway.core.routing;

import io.spillway.core.policy.TenantPolicy;
import java.util.Optional;

/** Due times of replayed items, and the route that the delay stage will choose for them. */
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

    /**
     * Returns the route of a replayed item when it is due, as {@link RoutingRules#staleness} decides: sweeps count from
     * when the item was enqueued and first entered, age from its replay, and no attempt was made since.
     *
     * @param claimedAtMillis     the item's enqueue time, any value; an implausible one is replaced by the due time
     * @param enteredAtMillis     time at which the item first entered
     * @param replayedAtMillis    start of the replay
     * @param dueMillis           not before the replay
     * @param coveredBeforeMillis end of what completed sweeps cover: {@link Sweep#coveredBeforeMillis}
     * @return swept, past its time to live, a dead letter, paused, or aged; empty for a fresh item
     */
    public static Optional<Route> whenDue(
            long claimedAtMillis, long enteredAtMillis, long replayedAtMillis, long dueMillis, TenantPolicy policy,
            long coveredBeforeMillis) {
        long enqueuedAtMillis = RoutingRules.isPlausible(claimedAtMillis, dueMillis) ? claimedAtMillis : dueMillis;
        return RoutingRules.staleness(
                RoutingRules.sweepAtMillis(enqueuedAtMillis, enteredAtMillis),
                Math.max(enqueuedAtMillis, replayedAtMillis), false, policy, "", coveredBeforeMillis, dueMillis);
    }

    private static long waitMillis(long index, double perSecond) {
        // The cast of a double that is too large gives Long.MAX_VALUE.
        return Math.min((long) (index * MILLIS_PER_SECOND / perSecond), Long.MAX_VALUE / 2);
    }
}
