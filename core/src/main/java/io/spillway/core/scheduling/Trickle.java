package io.spillway.core.scheduling;

/**
 * Share of the starts that a lane gets while lanes of higher priority could take them all, so that it never starves.
 *
 * <p>One of 1 / share starts is due to the lane. What it gets of idle capacity counts, up to as many starts as there
 * are slots: near saturation the trickle would otherwise take from others what the lane gets anyway. Nothing is due
 * while the lane has its share of the slots: a share of the starts is a larger share of the work when its attempts take
 * longer than those of the other lanes.
 *
 * <p>Owner: {@link FairDispatch}.
 */
final class Trickle {
    /** Removes rounding errors: 0.05 of 60 is 3, not 3.0000000000000004 rounded up to 4. */
    private static final double ROUNDING = 1e-9;

    /** The lane's share of the slots, rounded up: 0 only without a share. */
    final int slots;
    private final double share;
    private final int mostAhead;
    /** Starts due to the lane, at most 1; negative when it has had more. */
    private double due;

    /** @param share 0 (none) to 0.5 */
    Trickle(double share, int slots) {
        this.share = share;
        this.slots = (int) Math.ceil(share * slots - ROUNDING);
        this.mostAhead = slots;
    }

    /** Returns whether the next start is due to the lane, if one of its items may start. */
    boolean isDue(int inFlight) {
        return inFlight < slots && due >= 1 - ROUNDING;
    }

    /** Records a start of this lane or of another one. */
    void started(boolean isOwn) {
        due = isOwn ? Math.max(-mostAhead, due - 1) : Math.min(1, due + share);
    }

    /** Undoes a start. Otherwise the items that are too old would use up the lane's starts on their way out of it. */
    void cancelled(boolean isOwn) {
        due = isOwn ? Math.min(1, due + 1) : Math.max(-mostAhead, due - share);
    }
}
