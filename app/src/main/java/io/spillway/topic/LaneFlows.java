package io.spillway.topic;

import io.spillway.policy.LaneFlow;
import io.spillway.policy.Place;
import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;

/**
 * How items of all tenants come to each lane and go from it, by the books. Owner: the thread that calls {@link #look}, at
 * regular intervals; readers see all lanes of the same moment.
 */
public final class LaneFlows {
    private final Depths depths;
    private volatile Map<Place, LaneFlow> flows = Map.of();

    /** Has seen nothing yet. */
    public LaneFlows(Depths depths) {
        this.depths = depths;
    }

    /** Looks at the totals again. */
    public void look(long nowMillis) {
        Map<Place, LaneFlow> now = new EnumMap<>(Place.class);
        for (Place lane : Place.WAITING) {
            LaneFlow before = flows.get(lane);
            long entered = depths.entered(lane);
            long left = depths.left(lane);
            now.put(lane, before == null
                    ? LaneFlow.startingAt(entered, left, nowMillis)
                    : before.after(entered, left, nowMillis));
        }
        flows = Collections.unmodifiableMap(now);
    }

    /** By lane, in the order of {@link Place#WAITING}; empty before the first look. */
    public Map<Place, LaneFlow> byLane() {
        return flows;
    }
}
