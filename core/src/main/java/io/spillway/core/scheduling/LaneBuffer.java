package io.spillway.core.scheduling;

import io.spillway.core.item.Lane;
import java.util.ArrayList;
import java.util.List;

/**
 * Waiting items of one lane in deficit round robin (Shreedhar and Varghese, "Efficient Fair Queuing Using Deficit
 * Round-Robin", 1995) by slot-milliseconds.
 *
 * <p>Each round grants every tenant {@link #QUANTUM_MILLIS} per unit of weight. A tenant is served while it has credit,
 * may overdraw by its last attempt, and then skips the rounds it has overdrawn. An attempt of 10 s costs 10,000 rounds,
 * so tenants are in a heap by the next round in which they have credit, and empty rounds are skipped. Credit does not
 * accumulate: a tenant that was idle, or was not allowed to start, joins the current round at the earliest. A debt is
 * kept.
 *
 * <p>Owner: {@link FairDispatch}. Bound: the lane's read-ahead and one poll batch.
 */
final class LaneBuffer<T> {
    /** Scheduled lanes: hot, overflow, aged, in the order of {@link Lane}. */
    static final int COUNT = 3;
    static final double QUANTUM_MILLIS = 1;
    /** Weight of the newest attempt in the lane's average. */
    private static final double AVERAGE_SHARE = 1.0 / 64;
    /** Estimate before any attempt has ended: small, since holding back an item needlessly costs more. */
    private static final double PRIOR_MILLIS = 1;

    final Lane lane;
    final Trickle trickle;
    final List<TenantQueue<T>> members = new ArrayList<>();
    private final TurnHeap<T> within = new TurnHeap<>();
    private final TurnHeap<T> beyond = new TurnHeap<>();
    private final TurnHeap<T> beyondLong = new TurnHeap<>();
    private long round;
    private long turns;
    private double averageMillis = PRIOR_MILLIS;

    int items;
    /** Size of the lane's items in memory, also of those that do not wait here. */
    long heldBytes;
    int inFlight;

    LaneBuffer(Lane lane, Trickle trickle) {
        this.lane = lane;
        this.trickle = trickle;
    }

    int index() {
        return lane.ordinal();
    }

    double averageMillis() {
        return averageMillis;
    }

    void add(TenantQueue<T> queue, QueueEntry<T> waiting) {
        queue.add(waiting);
        queue.tenant.waiting++;
        items++;
        if (queue.size == 1) {
            queue.memberIndex = members.size();
            members.add(queue);
            setRound(queue);
            queue.turn = turns++;
            reposition(queue);
        }
    }

    void remove(TenantQueue<T> queue, QueueEntry<T> waiting) {
        queue.unlink(waiting);
        queue.tenant.waiting--;
        items--;
        if (queue.size == 0) {
            TenantQueue<T> last = members.removeLast();
            if (last != queue) {
                members.set(queue.memberIndex, last);
                last.memberIndex = queue.memberIndex;
            }
            queue.memberIndex = -1;
            if (queue.heap != null) {
                queue.heap.remove(queue);
            }
        }
    }

    /** Returns the next queue among those that may start, or null. */
    TenantQueue<T> next(boolean mayLend, boolean mayLendLong) {
        TenantQueue<T> next = earlier(null, within);
        next = mayLend ? earlier(next, beyond) : next;
        return mayLendLong ? earlier(next, beyondLong) : next;
    }

    private TenantQueue<T> earlier(TenantQueue<T> found, TurnHeap<T> heap) {
        if (heap.isEmpty()) {
            return found;
        }
        return found == null || heap.first().isBefore(found) ? heap.first() : found;
    }

    /** Takes the first item of a queue, charges the tenant for it and advances the lane to the queue's round. */
    QueueEntry<T> serve(TenantQueue<T> queue, double chargeMillis) {
        round = Math.max(round, queue.round);
        queue.chargedMillis = Math.max(queue.chargedMillis, round * QUANTUM_MILLIS);
        QueueEntry<T> waiting = queue.first;
        remove(queue, waiting);
        charge(queue, chargeMillis);
        return waiting;
    }

    /** Charges a tenant; a negative number refunds it. */
    void charge(TenantQueue<T> queue, double millis) {
        queue.chargedMillis += millis / queue.tenant.weight;
        long before = queue.round;
        setRound(queue);
        if (queue.heap != null && queue.round != before) {
            queue.heap.moved(queue);
        }
    }

    /** Puts a queue with waiting items into the heap of its tenant's entitlement. */
    void reposition(TenantQueue<T> queue) {
        TurnHeap<T> heap = switch (queue.tenant.standing) {
            case WITHIN -> within;
            case BEYOND -> beyond;
            case LONG -> beyondLong;
            case HELD -> null;
        };
        if (queue.heap == heap) {
            return;
        }
        if (queue.heap != null) {
            queue.heap.remove(queue);
        }
        if (heap != null) {
            setRound(queue);
            heap.insert(queue);
        }
    }

    void attemptEnded(double millis) {
        averageMillis += (millis - averageMillis) * AVERAGE_SHARE;
    }

    private void setRound(TenantQueue<T> queue) {
        long next = Math.max(round, (long) (queue.chargedMillis / QUANTUM_MILLIS));
        if (next != queue.round) {
            queue.round = next;
            queue.turn = turns++;
        }
    }
}
