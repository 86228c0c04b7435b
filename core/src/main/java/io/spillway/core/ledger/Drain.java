package io.spillway.core.ledger;

/** Forecast of when a backlog is gone at constant flow rates. */
public sealed interface Drain {
    /** Seconds beyond which the forecast is never: 10 years. */
    double LONGEST_SECONDS = 10 * 365.25 * 24 * 3600;

    /** Nothing waits. */
    record Gone() implements Drain {}

    /** The backlog is gone after this time, more than 0. */
    record After(double seconds) implements Drain {}

    /** The backlog does not shrink. */
    record Never() implements Drain {}

    /** Returns the forecast: waiting / (out − in). Negative numbers of waiting items count as 0. */
    static Drain of(long waiting, double inPerSecond, double outPerSecond) {
        if (waiting <= 0) {
            return new Gone();
        }
        double seconds = waiting / (outPerSecond - inPerSecond);
        // Also false for infinity and NaN, the results of equal rates.
        return seconds > 0 && seconds <= LONGEST_SECONDS ? new After(seconds) : new Never();
    }

    /** Returns the forecast at these rates. */
    static Drain of(long waiting, FlowRates rates) {
        return of(waiting, rates.inPerSecond(), rates.outPerSecond());
    }

    /** Returns the seconds until it is gone: 0 when nothing waits, infinity for never. */
    default double seconds() {
        return switch (this) {
            case Gone gone -> 0;
            case After after -> after.seconds();
            case Never never -> Double.POSITIVE_INFINITY;
        };
    }

    /**
     * Returns whether the last item of the backlog will exceed its time to live before it is handled;
     * {@link Long#MAX_VALUE} is no time to live.
     */
    default boolean isLaterThan(long ttlMillis) {
        return ttlMillis != Long.MAX_VALUE && seconds() * 1e3 > ttlMillis;
    }
}
