package io.spillway.core.routing;

/**
 * Completed anti-entropy sweep. It has handled everything that entered before its start, and cannot complete before it.
 */
public record Sweep(long startedAtMillis, long completedAtMillis) {
    public Sweep {
        if (completedAtMillis < startedAtMillis) {
            throw new IllegalArgumentException("startedAt = " + startedAtMillis + ", completedAt = " + completedAtMillis
                    + ": a sweep cannot complete before it starts");
        }
    }

    /**
     * Returns the time before which items are covered: the start of the sweep less the margin. A sweep that completes
     * in the future covers nothing yet, so that a wrong clock drops no item.
     *
     * @param marginMillis largest difference to expect between the clocks of sweeps, producers and brokers, 0 or more
     */
    public long coveredBeforeMillis(long marginMillis, long nowMillis) {
        return completedAtMillis <= nowMillis && startedAtMillis >= 0
                ? startedAtMillis - marginMillis : ItemEnds.NO_SWEEP_MILLIS;
    }
}
