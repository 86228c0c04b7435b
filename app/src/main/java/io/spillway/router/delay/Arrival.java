package io.spillway.router.delay;

import io.spillway.core.routing.Route;

/** What a delay stage found in a record of the delay lane. */
sealed interface Arrival {
    /** Its time has come already. */
    record Due() implements Arrival {
        static final Due NOW = new Due();
    }

    /**
     * It waits.
     *
     * @param dueMillis  later than now, epoch milliseconds
     * @param wasClamped whether it said a time too far ahead
     */
    record Later(long dueMillis, boolean wasClamped) implements Arrival {}

    /** It is not an item that can wait. */
    record Dead(Route.DeadLetter route) implements Arrival {}
}
