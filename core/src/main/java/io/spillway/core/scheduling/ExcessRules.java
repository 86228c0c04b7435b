package io.spillway.core.scheduling;

import io.spillway.core.item.Lane;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Selection of the waiting items that move to another lane. It removes the last items of a tenant's queue, in their
 * order: the first ones start soonest. Of a tenant with workloads these are the last items of the largest ones. Those
 * stay that it could run at once: in hot that may be none while a rate holds it back.
 *
 * <p>Owner of the buffers: {@link FairDispatch}.
 */
final class ExcessRules<T> {
    /** With fewer tenants, an equal share of the read-ahead would be most of it. */
    private static final int FEW = 4;
    /** A shorter rise is ignored: the items would come back later than the slots. */
    private static final long RAISED_NANOS = 5_000_000_000L;
    /** Most items that stay in a backlog's buffer because they start within about two seconds. */
    private static final int MOST_SOON = 100;
    /** Shortest and longest first delay of an item. Both double with each of its moves, up to the last bound. */
    private static final long LEAST_DELAY_MILLIS = 1_000;
    private static final long MOST_DELAY_MILLIS = 15_000;
    private static final long LAST_DELAY_MILLIS = 600_000;
    /** Removes rounding errors: 100 / (100 / 3) is 3, not 2.9999999999999996. */
    private static final double ROUNDING = 1e-9;
    /** Enough to be above the last bound, and no overflow of a long. */
    private static final int MOST_DOUBLINGS = 10;

    private final DispatchSettings settings;
    private final SlotPool pool;

    ExcessRules(DispatchSettings settings, SlotPool pool) {
        this.settings = settings;
        this.pool = pool;
    }

    /**
     * Moves items of hot that would wait long behind items of the same tenant, since new items of other tenants are
     * behind them in the partition. When the whole buffer empties within the buffer time, pausing the reader does less
     * harm than moves, so items stay. A tenant keeps an equal share of the read-ahead: after a stall of the whole
     * worker all tenants have a backlog, and none is the cause. But where slots are idle and a source may have no room,
     * those that wait for a rate or a destination are the cause, however many they are.
     *
     * @param looked gets each tenant; it may have no items any more
     */
    void fromHot(LaneBuffer<T> hot, List<Excess<T>> moved, Consumer<FairNode<T>> looked) {
        double workMillis = 0;
        for (FairQueue<T> queue : hot.members) {
            workMillis += queue.size * queue.estimateMillis() / queue.node.itemsOfSlot();
        }
        int equalShare = hot.members.size() < FEW ? 0 : settings.readAheadItems() / hot.members.size();
        boolean isStalled = !pool.isFull() && isStalled(hot);
        // With slow handlers as many items as half of the slots are few, and start within about half of an attempt.
        boolean isSoonDone = 2 * hot.items <= settings.slots()
                || workMillis / settings.slots() <= settings.hotBufferMillis();
        for (int i = hot.members.size() - 1; i >= 0; i--) {
            FairQueue<T> queue = hot.members.get(i);
            if (isStalled) {
                for (FairQueue<T> part : queue.node.isPaced ? List.of(queue) : queue.leaves()) {
                    if (part.node.isPaced || part.node.isAtDestination()) {
                        cut(part, Math.max(1, kept(part)), moved, ExcessRules::toOverflow);
                    }
                }
            }
            if (queue.size > equalShare) {
                fromHot(queue, equalShare, isSoonDone, moved);
            }
            looked.accept(queue.node);
        }
    }

    private void fromHot(FairQueue<T> queue, int equalShare, boolean isSoonDone, List<Excess<T>> moved) {
        for (FairQueue<T> part : cappedParts(queue)) {
            cut(part, Math.max(kept(part), part.size - (queue.size - equalShare)), moved, ExcessRules::toOverflow);
        }
        double most = Math.clamp(queue.node.concurrency, 1, settings.slots() * queue.node.itemsOfSlot());
        double eachMillis = queue.estimateMillis();
        double apartMillis = queue.node.apartMillis(eachMillis / most);
        if (!isSoonDone || queue.size * apartMillis > Math.max(settings.hotBufferMillis(), eachMillis / 2)) {
            cut(queue, Math.max(equalShare, kept(queue)), moved, ExcessRules::toOverflow);
        }
    }

    private static <T> Excess<T> toOverflow(SlotLease<T> waiting) {
        return new Excess<>(waiting.item(), Lane.OVERFLOW, 0);
    }

    /** Returns whether one of the lane's sources may have no room. */
    boolean isStalled(LaneBuffer<T> lane) {
        return lane.items >= settings.stalledItems() || 2 * lane.heldBytes >= settings.readAheadBytes();
    }

    /**
     * Moves items of tenants and workloads that may not start more, however many slots are free, while slots are idle.
     * Any other full buffer only pauses the reader, which costs nothing.
     */
    void fromBacklog(LaneBuffer<T> lane, long nowMillis, long nowNanos, List<Excess<T>> moved) {
        if (pool.isFull()) {
            return;
        }
        for (int i = lane.members.size() - 1; i >= 0; i--) {
            FairQueue<T> queue = lane.members.get(i);
            if (isHeld(queue.node, nowNanos)) {
                delay(queue, nowMillis, moved);
                continue;
            }
            partsAtCap(queue).forEach(part -> delay(part, nowMillis, moved));
        }
    }

    private void delay(FairQueue<T> queue, long nowMillis, List<Excess<T>> moved) {
        FairNode<T> node = queue.node;
        // All that wait for a destination come back one after the other.
        boolean isOfDestination = node.destination != null && !node.isAtCap();
        LimitedNode<T> by = isOfDestination ? node.destination : node;
        double eachMillis = isOfDestination ? node.destination.apartMillis() : apartMillis(queue);
        // Those that move come back after a second at least, and a start that is missed until then is lost.
        int soon = by.rate == null ? 0 : (int) Math.min(MOST_SOON, 2 * LEAST_DELAY_MILLIS / apartMillis(queue));
        cut(queue, Math.max(1, Math.max(soon, kept(queue))), moved, waiting -> new Excess<>(
                waiting.item(), Lane.DELAY, due(by, waiting.moves, eachMillis, nowMillis)));
    }

    /** Returns the queues of workloads with a concurrency or a rate and items in the lane. */
    private static <T> List<FairQueue<T>> cappedParts(FairQueue<T> queue) {
        return queue.children == null ? List.of()
                : queue.leaves().stream().filter(part -> part.node.hasLimit()).toList();
    }

    private static <T> List<FairQueue<T>> partsAtCap(FairQueue<T> queue) {
        return cappedParts(queue).stream()
                .filter(part -> part.node.isAtCap() || part.node.isAtDestination()).toList();
    }

    /** A cap that is still growing does not hold a tenant: it will have grown before the items are back. */
    private static boolean isHeld(FairNode<?> tenant, long nowNanos) {
        return tenant.isAtDestination() || tenant.standing == FairNode.Standing.HELD
                && (tenant.isHeld || tenant.isAtCap() || tenant.adaptive.isRaisedFor(RAISED_NANOS, nowNanos));
    }

    /**
     * Returns how many items, from the head, have an expected wait behind their own node within the buffer time: as
     * many as start in that time, and as run at the same time beside those that run (Little's law).
     */
    private int kept(FairQueue<T> queue) {
        double ahead = (settings.hotBufferMillis() + queue.estimateMillis()) / apartMillis(queue);
        return (int) Math.max(0, Math.min(queue.size, Math.floor(ahead + ROUNDING - queue.node.running())));
    }

    private double apartMillis(FairQueue<T> queue) {
        return queue.node.apartMillis(queue.estimateMillis() / atOnce(queue));
    }

    /** Returns the items that a node can run at once: by its latency, so that the result is the same after a start. */
    private double atOnce(FairQueue<T> queue) {
        int concurrency = Math.max(1, queue.node.concurrency);
        return queue.parent == null ? Math.min(concurrency, pool.within(queue.node) * queue.node.itemsOfSlot())
                : concurrency;
    }

    /** Cuts a queue. With workloads the longest of their queues are cut, to the same length. */
    private void cut(FairQueue<T> queue, int kept, List<Excess<T>> moved, Function<SlotLease<T>, Excess<T>> move) {
        List<FairQueue<T>> parts = queue.leaves().stream().sorted(Comparator.comparingInt(part -> part.size)).toList();
        int left = kept;
        for (int i = 0; i < parts.size(); i++) {
            FairQueue<T> part = parts.get(i);
            int ofPart = Math.min(part.size, left / (parts.size() - i));
            left -= ofPart;
            for (SlotLease<T> waiting : part.tail(part.size - ofPart)) {
                part.remove(waiting);
                moved.add(move.apply(waiting));
            }
        }
    }

    /**
     * Returns due times one service time apart: moved items come back as fast as the tenant or workload can run them,
     * by its service time of now. The service time may change, so an estimate that is too long or too short counts only
     * for about as long as the item has waited before. After ten moves that is ten minutes: six moves an hour.
     */
    private static long due(LimitedNode<?> node, int moves, double eachMillis, long nowMillis) {
        double aheadMillis = Math.max(0, node.lastDueMillis - nowMillis);
        if (node.dueApartMillis > 0) {
            aheadMillis *= eachMillis / node.dueApartMillis;
        }
        int doublings = Math.min(moves, MOST_DOUBLINGS);
        long least = Math.min(LAST_DELAY_MILLIS, LEAST_DELAY_MILLIS << doublings);
        long most = Math.min(LAST_DELAY_MILLIS, MOST_DELAY_MILLIS << doublings);
        double delayMillis = Math.min(aheadMillis + eachMillis, most);
        node.lastDueMillis = nowMillis + Math.max(Math.min(aheadMillis, LAST_DELAY_MILLIS), delayMillis);
        node.dueApartMillis = eachMillis;
        return nowMillis + Math.max((long) delayMillis, least);
    }
}
