package io.spillway.core.ledger;

/**
 * How items come to a lane and go from it, seen from its running totals at irregular moments.
 *
 * <p>The first rates that are seen count whole: beginning at 0 they would be too low for a minute, and a forecast too long.
 *
 * @param entered items that had ever come at the last observation
 * @param left    items that had ever gone at the last observation
 * @param rates   of the time of that observation
 * @param isFirst whether nothing was seen before it, so that the rates say nothing
 */
public record LaneFlow(long entered, long left, FlowRates rates, boolean isFirst) {
    /** The flow of a lane that is seen for the first time, at these totals. */
    public static LaneFlow startingAt(long entered, long left, long nowMillis) {
        return new LaneFlow(entered, left, FlowRates.startingAt(nowMillis), true);
    }

    /**
     * The flow with what is seen now. Totals that are smaller than before, as after a tenant is forgotten, count as no movement.
     *
     * @param nowEntered items that have ever come
     * @param nowLeft    items that have ever gone
     * @param nowMillis  epoch milliseconds
     */
    public LaneFlow after(long nowEntered, long nowLeft, long nowMillis) {
        long came = Math.max(0, nowEntered - entered);
        long went = Math.max(0, nowLeft - left);
        FlowRates now = isFirst
                ? FlowRates.between(rates.atMillis(), nowMillis, came, went)
                : rates.after(came, went, nowMillis);
        return new LaneFlow(nowEntered, nowLeft, now, false);
    }

    /** Items that waited at the last observation; negative only for totals that are no books. */
    public long waiting() {
        return entered - left;
    }

    /** When all that waited is gone, at the rates of the last observation. */
    public Drain drain() {
        return Drain.of(waiting(), rates);
    }
}
