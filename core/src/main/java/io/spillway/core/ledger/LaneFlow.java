package io.spillway.core.ledger;

import io.spillway.core.item.ItemState;
import java.util.Map;

/**
 * Flow of a lane, from its running totals at irregular moments. The first observation counts in full: rates that start
 * at 0 would be too low for a minute, and the forecast too long.
 *
 * @param entered items that had entered by the last observation
 * @param left    items that had left by the last observation
 * @param rates   at the time of that observation
 * @param isFirst whether it is the first observation, without meaningful rates
 */
public record LaneFlow(long entered, long left, FlowRates rates, boolean isFirst) {
    /** Returns the flow of a lane at its first observation, with these totals. */
    public static LaneFlow startingAt(long entered, long left, long nowMillis) {
        return new LaneFlow(entered, left, FlowRates.startingAt(nowMillis), true);
    }

    /**
     * Returns the flow after one more observation of the totals. Totals below the previous ones, as after a tenant is
     * forgotten, count as no movement.
     */
    public LaneFlow after(long nowEntered, long nowLeft, long nowMillis) {
        long came = Math.max(0, nowEntered - entered);
        long went = Math.max(0, nowLeft - left);
        FlowRates now = isFirst
                ? FlowRates.between(rates.atMillis(), nowMillis, came, went)
                : rates.after(came, went, nowMillis);
        return new LaneFlow(nowEntered, nowLeft, now, false);
    }

    /** Returns the items that waited at the last observation; negative only for inconsistent totals. */
    public long waiting() {
        return entered - left;
    }

    /** Returns when the backlog is gone, at the rates of the last observation. */
    public Drain drain() {
        return Drain.of(waiting(), rates);
    }

    /** Returns when nothing of a lane waits for a worker. What is in delay waits for its time, and has no forecast. */
    public Drain drain(ItemState lane) {
        return lane == ItemState.DELAY ? new Drain.Gone() : drain();
    }

    /** Returns the forecast for a whole queue: no lane of it is gone later. */
    public static Drain latest(Drain bySum, Map<ItemState, LaneFlow> lanes) {
        return lanes.entrySet().stream().filter(lane -> !lane.getValue().isFirst)
                .map(lane -> lane.getValue().drain(lane.getKey()))
                .reduce(bySum, (longest, drain) -> longest.seconds() >= drain.seconds() ? longest : drain);
    }
}
