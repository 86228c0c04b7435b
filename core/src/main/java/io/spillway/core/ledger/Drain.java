package io.spillway.core.ledger;

/** When a backlog will be gone if items keep coming and going as they do now. */
public sealed interface Drain {
    /** Beyond this a forecast says no more than never: 10 years. Seconds. */
    double LONGEST_SECONDS = 10 * 365.25 * 24 * 3600;

    /** Nothing waits. */
    record Gone() implements Drain {}

    /**
     * After so long.
     *
     * @param seconds more than 0
     */
    record After(double seconds) implements Drain {}

    /** At these rates it does not shrink. */
    record Never() implements Drain {}

    /**
     * The forecast: waiting / (out − in).
     *
     * @param waiting      items; what is negative counts as none
     * @param inPerSecond  0 or more
     * @param outPerSecond 0 or more
     */
    static Drain of(long waiting, double inPerSecond, double outPerSecond) {
        if (waiting <= 0) {
            return new Gone();
        }
        double seconds = waiting / (outPerSecond - inPerSecond);
        // Also not for the infinity and the NaN of equal rates.
        return seconds > 0 && seconds <= LONGEST_SECONDS ? new After(seconds) : new Never();
    }

    /** The forecast at these rates. */
    static Drain of(long waiting, FlowRates rates) {
        return of(waiting, rates.inPerSecond(), rates.outPerSecond());
    }

    /** Seconds until it is gone: 0 when nothing waits, infinity for never. */
    default double seconds() {
        return switch (this) {
            case Gone gone -> 0;
            case After after -> after.seconds();
            case Never never -> Double.POSITIVE_INFINITY;
        };
    }

    /**
     * Whether the last of the backlog will be past its time to live before it is handled.
     *
     * @param ttlMillis time to live of the items, {@link Long#MAX_VALUE} for none
     */
    default boolean isLaterThan(long ttlMillis) {
        return ttlMillis != Long.MAX_VALUE && seconds() * 1e3 > ttlMillis;
    }
}
