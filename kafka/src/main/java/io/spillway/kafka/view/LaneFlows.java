package io.spillway.kafka.view;

import io.spillway.core.item.ItemState;
import io.spillway.core.ledger.LaneFlow;
import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;

/**
 * How items of all tenants come to each lane and go from it, by the books. Owner: the thread that calls {@link #look}, at
 * regular intervals; readers see all lanes of the same moment.
 */
public final class LaneFlows {
    private final Depths depths;
    private volatile Map<ItemState, LaneFlow> flows = Map.of();

    /** Has seen nothing yet. */
    public LaneFlows(Depths depths) {
        this.depths = depths;
    }

    /** Looks at the totals again. */
    public void look(long nowMillis) {
        Map<ItemState, LaneFlow> now = new EnumMap<>(ItemState.class);
        for (ItemState lane : ItemState.WAITING) {
            LaneFlow before = flows.get(lane);
            long entered = depths.entered(lane);
            long left = depths.left(lane);
            now.put(lane, before == null
                    ? LaneFlow.startingAt(entered, left, nowMillis)
                    : before.after(entered, left, nowMillis));
        }
        flows = Collections.unmodifiableMap(now);
    }

    /** By lane, in the order of {@link ItemState#WAITING}; empty before the first look. */
    public Map<ItemState, LaneFlow> byLane() {
        return flows;
    }
}
