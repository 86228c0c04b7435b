package io.spillway.core.ledger;

/**
 * Time that a tenant's backlog needs at its rate of completion, from observations about once a second.
 *
 * <p>The rate is the best one of the last {@value #WINDOW_MILLIS} ms to twice that. Time in which nothing completes
 * does not count as part of them: an outage or a pause says nothing about the rate afterwards, so the usual rate stays.
 *
 * <p>A rate without a backlog is only a lower bound of what is possible, because there was nothing else to complete. So
 * until items have been completed from a backlog that is older than {@value #EVIDENCE_MILLIS} ms, the time is at most
 * the age of that backlog, and 0 before that age. A tenant of which nothing was ever completed has that age as well.
 *
 * @param bestPerSecond  best rate of the current window, 0 or more
 * @param olderPerSecond best rate of the window before it, 0 or more
 * @param windowMillis   length of the current window so far, without time in which nothing completed
 * @param backlogMillis  age of the backlog; 0 for none
 * @param isMeasured     whether items were completed from a backlog of sufficient age
 * @param went           items that were ever completed, as of the last observation
 * @param atMillis       time of the last observation, epoch milliseconds
 */
public record DrainTime(
        double bestPerSecond, double olderPerSecond, long windowMillis, long backlogMillis, boolean isMeasured,
        long went, long atMillis) {
    /** Length of a window; longer than an outage of ten minutes in which single attempts succeed. */
    static final long WINDOW_MILLIS = 900_000;
    /** The rate measured after this time is that of the backlog, and not of the time before it. */
    static final long EVIDENCE_MILLIS = FlowRates.MOST_MEMORY_MILLIS;
    /** Items that are completed within ten seconds are in transit: balances arrive with a delay. */
    private static final double IN_TRANSIT_SECONDS = 10;
    /** Limits the effect of a step of the clock. */
    private static final long MAX_STEP_MILLIS = 10_000;

    /** Returns the state of a tenant that is observed from now on. */
    public static DrainTime startingAt(long went, long nowMillis) {
        return new DrainTime(0, 0, 0, 0, false, went, nowMillis);
    }

    /**
     * Returns the state after one more observation.
     *
     * @param waiting      items that wait now, 0 or more
     * @param nowWent      items that were ever completed; fewer than before is a new count
     * @param outPerSecond rate of completion now
     */
    public DrainTime after(long waiting, long nowWent, double outPerSecond, long nowMillis) {
        long millis = Math.clamp(nowMillis - atMillis, 0, MAX_STEP_MILLIS);
        boolean isBacklog = waiting > outPerSecond * IN_TRANSIT_SECONDS;
        boolean hasMoved = nowWent > went;
        long age = isBacklog ? backlogMillis + millis : 0;
        boolean measured = isBacklog && (isMeasured || hasMoved && age >= EVIDENCE_MILLIS);
        long window = windowMillis + (hasMoved ? millis : 0);
        return window < WINDOW_MILLIS
                ? new DrainTime(Math.max(bestPerSecond, outPerSecond), olderPerSecond, window, age, measured, nowWent,
                        nowMillis)
                : new DrainTime(outPerSecond, bestPerSecond, 0, age, measured, nowWent, nowMillis);
    }

    /** Returns the time for this number of waiting items, in milliseconds, 0 or more. */
    public double millis(long waiting) {
        double perSecond = Math.max(bestPerSecond, olderPerSecond);
        if (backlogMillis < EVIDENCE_MILLIS) {
            return 0;
        }
        double byRate = perSecond == 0 ? backlogMillis : waiting * 1e3 / perSecond;
        return isMeasured ? byRate : Math.min(byRate, backlogMillis);
    }
}
