package io.spillway.router;

import io.spillway.policy.Route;

/**
 * What to do with one record.
 *
 * @param route                 where it goes
 * @param hasInternalHeaders    whether headers must be stripped that only we may set
 * @param correctedAtMillis     the time to write on an item whose own time cannot be believed, or {@link #AS_IT_IS}.
 *                              Without it such an item would count as new at every hop and never age
 */
record Decision(Route route, boolean hasInternalHeaders, long correctedAtMillis) {
    static final long AS_IT_IS = Long.MIN_VALUE;
}
