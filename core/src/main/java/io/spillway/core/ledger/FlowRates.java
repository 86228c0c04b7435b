package io.spillway.core.ledger;

/**
 * Recent flow rates of a queue: averages whose weights fall to 1/e within a memory (exponential smoothing of irregular
 * observations; Wright, "Forecasting data published at irregular time intervals", 1986).
 *
 * <p>The memory of a rate is the time in which ten items move, within bounds. A fast flow is known after
 * seconds, and must be forgotten as soon: with one memory of 30 s, the arrivals of 1,000 items/s exceed a drain of 100
 * items/s for 69 s after the last one, and with one of 3 s for 7 s. A slow flow needs the long memory: one item in 10 s
 * would else be nothing or a third of an item per second.
 *
 * <p>An inflow that stops is not forgotten but noticed: it is 0 when nothing has entered for
 * {@value #STOPPED_MILLIS} ms in which ten items were expected, while items leave. If none leave either, the ledger may
 * be late, and nothing is concluded.
 *
 * @param inPerSecond  items per second that enter, 0 or more
 * @param outPerSecond items per second that leave, 0 or more
 * @param atMillis     time of the rates, epoch milliseconds
 * @param cameAtMillis time of the last observation with an item that entered, epoch milliseconds
 */
public record FlowRates(double inPerSecond, double outPerSecond, long atMillis, long cameAtMillis) {
    /** Memory of fast flows: long enough to hide the intervals of commits and of the ledger. */
    public static final long LEAST_MEMORY_MILLIS = 3_000;
    /** Memory of slow flows. */
    public static final long MOST_MEMORY_MILLIS = 30_000;
    /** Longer than the intervals of commits and of the ledger, so that no steady flow seems to stop. */
    static final long STOPPED_MILLIS = 2_000;
    /** Observations of one moment, or in another order, are no further apart. */
    private static final long SET_BACK_MILLIS = 1_000;
    private static final int ITEMS = 10;

    /** Creates rates at which items still enter. */
    public FlowRates(double inPerSecond, double outPerSecond, long atMillis) {
        this(inPerSecond, outPerSecond, atMillis, atMillis);
    }

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
     * the last observation counts as one millisecond later, unless the clock was set back: nobody knows how long that
     * period was, so the rates stay.
     */
    public FlowRates after(long came, long went, long nowMillis) {
        if (isSetBack(nowMillis)) {
            return new FlowRates(inPerSecond, outPerSecond, nowMillis);
        }
        long millis = Math.max(1, nowMillis - atMillis);
        long thenMillis = atMillis + millis;
        return new FlowRates(
                hasStopped(came, went, thenMillis - cameAtMillis) ? 0 : average(inPerSecond, came, millis),
                average(outPerSecond, went, millis), thenMillis, came > 0 ? thenMillis : cameAtMillis);
    }

    /** Returns whether the clock was set back since the last observation. */
    public boolean isSetBack(long nowMillis) {
        return nowMillis < atMillis - SET_BACK_MILLIS;
    }

    private boolean hasStopped(long came, long went, long quietMillis) {
        return came == 0 && went > 0 && quietMillis >= STOPPED_MILLIS && inPerSecond * quietMillis >= ITEMS * 1e3;
    }

    private static double average(double perSecond, long moved, long millis) {
        // By the average alone: a memory that also depended on the new rate would count bursts for too much.
        double memoryMillis = Math.clamp(ITEMS * 1e3 / perSecond, LEAST_MEMORY_MILLIS, MOST_MEMORY_MILLIS);
        return perSecond - Math.expm1(-millis / memoryMillis) * (moved * 1e3 / millis - perSecond);
    }

    /** Returns the rates now if nothing has entered or left since. */
    public FlowRates at(long nowMillis) {
        return nowMillis <= atMillis ? this : after(0, 0, nowMillis);
    }
}
