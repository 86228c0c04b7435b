package io.spillway.router.delay;

import io.spillway.core.routing.Route;

/** Result of reading a record of the delay lane. */
sealed interface Arrival {
    /** An item that is already due. */
    record Due() implements Arrival {
        static final Due NOW = new Due();
    }

    /**
     * An item that waits.
     *
     * @param dueMillis  later than now, epoch milliseconds
     * @param wasClamped whether the due time in its header was too far ahead
     */
    record Later(long dueMillis, boolean wasClamped) implements Arrival {}

    /** A record that is not a valid delayed item. */
    record Dead(Route.DeadLetter route) implements Arrival {}
}
