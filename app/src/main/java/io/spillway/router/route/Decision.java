package io.spillway.router.route;

import io.spillway.core.routing.Route;

/**
 * What to do with one record.
 *
 * @param tenant                whose item it is; empty where the record could not be read
 * @param route                 where it goes
 * @param hasInternalHeaders    whether headers must be stripped that only we may set
 * @param correctedAtMillis     the time to write on an item whose own time cannot be believed, or {@link #AS_IT_IS}.
 *                              Without it such an item would count as new at every hop and never age
 * @param partition             of the lane it goes to, or {@link PartitionedValue#ANY}
 * @param ask                   what to ask of the book of shards for its tenant
 */
public record Decision(String tenant, Route route, boolean hasInternalHeaders, long correctedAtMillis, int partition, Ask ask) {
    public static final long AS_IT_IS = Long.MIN_VALUE;

    /** Of a record that goes to no shard. */
    Decision(String tenant, Route route, boolean hasInternalHeaders, long correctedAtMillis) {
        this(tenant, route, hasInternalHeaders, correctedAtMillis, PartitionedValue.ANY, Ask.NOTHING);
    }

    /** Of a record that could not be read. */
    public static Decision unreadable(Route.DeadLetter route, boolean hasInternalHeaders) {
        return new Decision("", route, hasInternalHeaders, AS_IT_IS);
    }

    /** The same item on another route to the same place. */
    Decision with(Route other) {
        return new Decision(tenant, other, hasInternalHeaders, correctedAtMillis, partition, ask);
    }

    /**
     * A request for a shard.
     *
     * @param slots wanted; 0 for no request
     */
    record Ask(String tenant, int slots) {
        static final Ask NOTHING = new Ask("", 0);
    }
}
