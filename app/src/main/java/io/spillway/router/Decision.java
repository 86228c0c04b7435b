package io.spillway.router;

import io.spillway.policy.Route;

/**
 * What to do with one record.
 *
 * @param route                 where it goes
 * @param hasInternalHeaders    whether headers must be stripped that only we may set
 * @param correctedAtMillis     the time to write on an item whose own time cannot be believed, or {@link #AS_IT_IS}.
 *                              Without it such an item would count as new at every hop and never age
 * @param partition             of the lane it goes to, or {@link Placed#ANY}
 */
record Decision(Route route, boolean hasInternalHeaders, long correctedAtMillis, int partition) {
    static final long AS_IT_IS = Long.MIN_VALUE;

    /** Of a record that goes to no shard. */
    Decision(Route route, boolean hasInternalHeaders, long correctedAtMillis) {
        this(route, hasInternalHeaders, correctedAtMillis, Placed.ANY);
    }
}
