package io.spillway.core.routing;

import io.spillway.core.policy.TenantPolicy;
import java.util.Optional;

/** When replayed items are due, and what the delay stage will make of them then. */
public final class ReplayRules {
    /**
     * No item waits longer in the delay lane, in milliseconds: 30 days. Longer than any backoff; what is later is more
     * likely a mistake in the unit.
     */
    public static final long LONGEST_WAIT_MILLIS = 30L * 24 * 60 * 60 * 1000;

    private static final double MILLIS_PER_SECOND = 1000;

    private ReplayRules() {}

    /**
     * When an item of a replay is due: the first at once, the others spread evenly.
     *
     * @param startMillis when the replay began, epoch milliseconds
     * @param index       which one, from 0
     * @param perSecond   rate, above 0
     * @return epoch milliseconds
     */
    public static long dueMillis(long startMillis, long index, double perSecond) {
        return startMillis + waitMillis(index, perSecond);
    }

    /**
     * Whether so many items can wait for their turn, or the last would be due later than the delay lane keeps any.
     *
     * @param count     0 or more
     * @param perSecond rate, above 0
     */
    public static boolean fits(long count, double perSecond) {
        return count <= 1 || waitMillis(count - 1, perSecond) <= LONGEST_WAIT_MILLIS;
    }

    /**
     * What becomes of a replayed item when it is due, by the rules that only time decides: those that
     * {@link RoutingRules#staleness} has, sweeps from when it was enqueued, age from its replay.
     *
     * @param saidMillis       when it says it was enqueued, any value; one that cannot be counts as when it is due
     * @param replayedAtMillis when the replay began, epoch milliseconds
     * @param dueMillis        not before the replay, epoch milliseconds
     * @param policy           of its tenant
     * @param sweepStartMillis start of the latest completed sweep that covers the tenant, or {@link RoutingRules#NO_SWEEP_MILLIS}
     * @return dropped by a sweep, dropped past its time to live, or aged; empty for a fresh item
     */
    public static Optional<Route> whenDue(
            long saidMillis, long replayedAtMillis, long dueMillis, TenantPolicy policy, long sweepStartMillis) {
        long enqueuedAtMillis = RoutingRules.isPlausible(saidMillis, dueMillis) ? saidMillis : dueMillis;
        return RoutingRules.staleness(
                enqueuedAtMillis, Math.max(enqueuedAtMillis, replayedAtMillis), policy, sweepStartMillis, dueMillis);
    }

    private static long waitMillis(long index, double perSecond) {
        // A cast of what is too large for a long gives the largest.
        return Math.min((long) (index * MILLIS_PER_SECOND / perSecond), Long.MAX_VALUE / 2);
    }
}
