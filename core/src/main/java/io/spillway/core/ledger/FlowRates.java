package io.spillway.core.ledger;

/**
 * How many items a second come to a queue and go from it, lately: averages whose weights fall to 1/e in {@link #MEMORY_MILLIS}
 * (exponential smoothing of irregular observations; Wright, "Forecasting data published at irregular time intervals", 1986).
 *
 * @param inPerSecond  0 or more
 * @param outPerSecond 0 or more
 * @param atMillis     of which time they are, epoch milliseconds
 */
public record FlowRates(double inPerSecond, double outPerSecond, long atMillis) {
    /** Long enough that a commit interval does not show, short enough that a forecast follows within half a minute. */
    public static final long MEMORY_MILLIS = 30_000;

    /** Of a queue that is seen for the first time. */
    public static FlowRates startingAt(long nowMillis) {
        return new FlowRates(0, 0, nowMillis);
    }

    /**
     * The rates of a time before which nothing is known.
     *
     * @param fromMillis epoch milliseconds
     * @param toMillis   epoch milliseconds; a time that is not after the first counts as a millisecond after it
     * @param came       items within it, 0 or more
     * @param went       items within it, 0 or more
     */
    public static FlowRates between(long fromMillis, long toMillis, long came, long went) {
        long millis = Math.max(1, toMillis - fromMillis);
        return new FlowRates(came * 1e3 / millis, went * 1e3 / millis, fromMillis + millis);
    }

    /**
     * The rates with what happened since, which is taken to have been spread evenly.
     *
     * @param came      items since the last observation, 0 or more
     * @param went      items since the last observation, 0 or more
     * @param nowMillis epoch milliseconds; a time that is not after the last counts as a millisecond after it
     */
    public FlowRates after(long came, long went, long nowMillis) {
        long millis = Math.max(1, nowMillis - atMillis);
        double weightOfNew = -Math.expm1(-(double) millis / MEMORY_MILLIS);
        return new FlowRates(
                inPerSecond + weightOfNew * (came * 1e3 / millis - inPerSecond),
                outPerSecond + weightOfNew * (went * 1e3 / millis - outPerSecond),
                Math.max(nowMillis, atMillis + 1));
    }

    /** The rates now when nothing was seen since: what was not observed did not happen. */
    public FlowRates at(long nowMillis) {
        return nowMillis <= atMillis ? this : after(0, 0, nowMillis);
    }
}
