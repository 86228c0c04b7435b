package io.spillway.core.retry;

/**
 * Count in which each event loses weight with time, exponentially: a rate of n a second is n times the time constant.
 *
 * <p>Not thread-safe. Owner: the object that it is a field of.
 */
final class DecayingCount {
    /** Reports are no later than this. */
    private static final long SET_BACK_MILLIS = 10_000;

    private final double constantMillis;
    private double value;
    private long atMillis;

    DecayingCount(long constantMillis) {
        this.constantMillis = constantMillis;
    }

    void add(double amount, long nowMillis) {
        value = Math.max(0, at(nowMillis) + amount);
        atMillis = Math.max(atMillis, nowMillis);
    }

    double at(long nowMillis) {
        if (nowMillis < atMillis - SET_BACK_MILLIS) {
            // The clock was set back: it goes on from here, as it would otherwise not decay for as long.
            atMillis = nowMillis;
        }
        return nowMillis <= atMillis || value == 0 ? value : value * Math.exp((atMillis - nowMillis) / constantMillis);
    }
}
