package io.spillway.core.scheduling;

import io.spillway.core.item.Lane;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Waiting items of one lane, whose tenants take turns, and the share of the starts that the lane gets while lanes of
 * higher priority could take them all, so that it never starves: its trickle.
 *
 * <p>One of 1 / trickle starts is due to the lane. What it gets of idle capacity counts, up to as many starts as there
 * are slots: near saturation the trickle would otherwise take from others what the lane gets anyway. Nothing is due
 * while the lane has its share of the slots: a share of the starts is a larger share of the work when its attempts take
 * longer than those of the other lanes.
 *
 * <p>Owner: {@link FairDispatch}. Bound: the lane's read-ahead and one poll batch.
 */
final class LaneBuffer<T> {
    /** Scheduled lanes: hot, overflow, aged, in the order of {@link Lane}. */
    static final int COUNT = Lane.WORKED.size();
    /** Part of the read-ahead, of which each source has one at least. */
    private static final int LEAST_PART = 50;
    /** Weight of the newest attempt in the lane's average. */
    private static final double AVERAGE_SHARE = 1.0 / 64;
    /** Estimate before any attempt has ended: small, since holding back an item needlessly costs more. */
    private static final double PRIOR_MILLIS = 1;
    /** Removes rounding errors: 0.05 of 60 is 3, not 3.0000000000000004 rounded up to 4. */
    private static final double ROUNDING = 1e-9;

    final Lane lane;
    final Turns<T> turns = new Turns<>();
    /** Queues of the tenants with items. */
    final List<FairQueue<T>> members = new ArrayList<>();
    double averageMillis = PRIOR_MILLIS;
    int items;
    /** Number and size of the lane's items in memory, also of those that do not wait here. */
    int heldItems;
    long heldBytes;
    int inFlight;

    /** The lane's share of the slots, rounded up: 0 only without a trickle. */
    final int slots;
    private final double trickle;
    private final int mostAhead;
    /** Starts due to the lane, at most 1; negative when it has had more. */
    private double due;

    /** @param trickle 0 (none) to 0.5 */
    LaneBuffer(Lane lane, double trickle, int slots) {
        this.lane = lane;
        this.trickle = trickle;
        this.slots = (int) Math.ceil(trickle * slots - ROUNDING);
        this.mostAhead = slots;
    }

    /** Adds the queue of a tenant that has items now. */
    void join(FairQueue<T> queue) {
        queue.memberIndex = members.size();
        members.add(queue);
    }

    /** Removes the queue of a tenant that has no items any more. */
    void leave(FairQueue<T> queue) {
        FairQueue<T> last = members.removeLast();
        if (last != queue) {
            members.set(queue.memberIndex, last);
            last.memberIndex = queue.memberIndex;
        }
    }

    /** Removes items, and passes each tenant that had any. */
    void removeIf(Predicate<T> gone, Consumer<FairNode<T>> looked) {
        for (int i = members.size() - 1; i >= 0; i--) {
            FairQueue<T> queue = members.get(i);
            queue.leaves().forEach(leaf -> leaf.removeIf(gone));
            looked.accept(queue.node);
        }
    }

    /** As {@link FairDispatch#hasRoom}. */
    boolean hasRoom(DispatchSettings settings, int sourceItems, long sourceBytes) {
        int itemsLeft = settings.readAheadItems() - Math.max(items, heldItems);
        return sourceItems < Math.max(itemsLeft, settings.readAheadItems() / LEAST_PART)
                && sourceBytes < settings.readAheadBytes() - heldBytes;
    }

    /** Returns whether the next start is due to the lane, if one of its items may start. */
    boolean isDue() {
        return inFlight < slots && due >= 1 - ROUNDING;
    }

    /** Records a start of this lane or of another one. */
    void started(boolean isOwn) {
        due = isOwn ? Math.max(-mostAhead, due - 1) : Math.min(1, due + trickle);
    }

    /** Undoes a start. Otherwise the items that are too old would use up the lane's starts on their way out of it. */
    void cancelled(boolean isOwn) {
        due = isOwn ? Math.min(1, due + 1) : Math.max(-mostAhead, due - trickle);
    }

    void attemptEnded(double millis) {
        averageMillis += (millis - averageMillis) * AVERAGE_SHARE;
    }
}
