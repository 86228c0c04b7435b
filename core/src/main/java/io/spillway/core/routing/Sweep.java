package io.spillway.core.routing;

/**
 * A completed anti-entropy sweep: everything enqueued before its start has been handled by it.
 *
 * @param startedAtMillis   epoch milliseconds
 * @param completedAtMillis epoch milliseconds, not before the start
 */
public record Sweep(long startedAtMillis, long completedAtMillis) {
    public Sweep {
        if (completedAtMillis < startedAtMillis) {
            throw new IllegalArgumentException("a sweep cannot complete before it starts");
        }
    }

    /**
     * From when on items are not covered: the start of the sweep, once it has completed. A sweep that claims to
     * complete in the future covers nothing yet, so that a wrong clock drops no item.
     */
    public long coveredBeforeMillis(long nowMillis) {
        return completedAtMillis <= nowMillis ? startedAtMillis : RoutingRules.NO_SWEEP_MILLIS;
    }
}
