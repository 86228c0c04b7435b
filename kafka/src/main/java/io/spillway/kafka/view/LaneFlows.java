package io.spillway.kafka.view;

import io.spillway.core.item.ItemState;
import io.spillway.core.ledger.LaneFlow;
import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;

/**
 * Inflow and outflow of each lane over all tenants, from the balances. Owner: the thread that calls {@link #sample} at
 * regular intervals; readers see all lanes at the same moment.
 */
public final class LaneFlows {
    private final Depths depths;
    private volatile Map<ItemState, LaneFlow> flows = Map.of();

    public LaneFlows(Depths depths) {
        this.depths = depths;
    }

    /** Updates the flows from the current totals. */
    public void sample(long nowMillis) {
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

    /** Returns the flows by lane, in the order of {@link ItemState#WAITING}; empty before the first update. */
    public Map<ItemState, LaneFlow> byLane() {
        return flows;
    }
}
