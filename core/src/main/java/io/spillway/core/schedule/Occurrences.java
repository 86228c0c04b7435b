package io.spillway.core.schedule;

import java.util.OptionalLong;

/** Times of a schedule, a function of the schedule alone: the same in every process. */
@FunctionalInterface
public interface Occurrences {
    /** Returns the first time after {@code millis}, both epoch milliseconds; empty if there is none. */
    OptionalLong after(long millis);

    /**
     * Returns the multiples of a period since 1970 in UTC, so that every 10 minutes is at :00, :10 and so on. They do
     * not depend on when the schedule was set.
     *
     * @param periodMillis 1 or more
     */
    static Occurrences every(long periodMillis) {
        return millis -> OptionalLong.of((Math.floorDiv(millis, periodMillis) + 1) * periodMillis);
    }

    /** Returns whether there is a time after one and not after another. */
    default boolean hasBetween(long afterMillis, long untilMillis) {
        OptionalLong next = after(afterMillis);
        return next.isPresent() && next.getAsLong() <= untilMillis;
    }
}
