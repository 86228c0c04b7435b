package io.spillway.core.routing;

/** Completed anti-entropy sweep. It has handled everything enqueued before its start, and cannot complete before it. */
public record Sweep(long startedAtMillis, long completedAtMillis) {
    public Sweep {
        if (completedAtMillis < startedAtMillis) {
            throw new IllegalArgumentException("startedAt = " + startedAtMillis + ", completedAt = " + completedAtMillis
                    + ": a sweep cannot complete before it starts");
        }
    }

    /**
     * Returns the time before which items are covered: the start of the sweep. A sweep that completes in the future
     * covers nothing yet, so that a wrong clock drops no item.
     */
    public long coveredBeforeMillis(long nowMillis) {
        return completedAtMillis <= nowMillis ? startedAtMillis : RoutingRules.NO_SWEEP_MILLIS;
    }
}
