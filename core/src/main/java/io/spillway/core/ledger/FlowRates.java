package io.spillway.core.ledger;

/**
 * Recent flow rates of a queue: averages whose weights fall to 1/e in {@link #MEMORY_MILLIS} (exponential smoothing of
 * irregular observations; Wright, "Forecasting data published at irregular time intervals", 1986).
 *
 * @param inPerSecond  items per second that enter, 0 or more
 * @param outPerSecond items per second that leave, 0 or more
 * @param atMillis     time of the rates, epoch milliseconds
 */
public record FlowRates(double inPerSecond, double outPerSecond, long atMillis) {
    /** Long enough to hide the commit interval, short enough for a forecast to follow within half a minute. */
    public static final long MEMORY_MILLIS = 30_000;

    /** Returns the rates of a new queue. */
    public static FlowRates startingAt(long nowMillis) {
        return new FlowRates(0, 0, nowMillis);
    }

    /** Returns the rates of a first period. An end that is not after its start counts as one millisecond later. */
    public static FlowRates between(long fromMillis, long toMillis, long came, long went) {
        long millis = Math.max(1, toMillis - fromMillis);
        return new FlowRates(came * 1e3 / millis, went * 1e3 / millis, fromMillis + millis);
    }

    /**
     * Returns the rates after one more observation, taken as evenly spread over its period. A time that is not after
     * the last observation counts as one millisecond later.
     */
    public FlowRates after(long came, long went, long nowMillis) {
        long millis = Math.max(1, nowMillis - atMillis);
        double weightOfNew = -Math.expm1(-(double) millis / MEMORY_MILLIS);
        return new FlowRates(
                inPerSecond + weightOfNew * (came * 1e3 / millis - inPerSecond),
                outPerSecond + weightOfNew * (went * 1e3 / millis - outPerSecond), Math.max(nowMillis, atMillis + 1));
    }

    /** Returns the rates now if nothing has entered or left since. */
    public FlowRates at(long nowMillis) {
        return nowMillis <= atMillis ? this : after(0, 0, nowMillis);
    }
}
