package io.spillway.core.scheduling;

import io.spillway.core.item.Lane;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * The waiting items of one lane, and whose turn it is: deficit round robin (Shreedhar and Varghese, "Efficient Fair
 * Queuing Using Deficit Round-Robin", 1995) in slot-milliseconds.
 *
 * <p>Each round grants every tenant {@link #QUANTUM_MILLIS} for each unit of weight; a tenant is served while it has
 * credit, may overdraw by its last attempt, and then sits out the rounds it has overdrawn. An attempt of 10 s costs
 * 10,000 rounds, so the list is not walked round by round: the tenants stand in a heap by the next round they have credit
 * for, and rounds in which nobody is served are skipped. Nobody saves credit: who comes back from idleness, or from not
 * being allowed to start, joins the current round at the earliest; a debt is kept.
 *
 * <p>Owner: {@link FairDispatch}. Bound: the lane's read-ahead and one poll batch.
 */
final class LaneBuffer<T> {
    /** Lanes that are dispatched from: hot, overflow, aged, in the order of {@link Lane}. */
    static final int COUNT = 3;
    static final double QUANTUM_MILLIS = 1;
    /** Weight of the newest attempt in the lane's average. */
    private static final double AVERAGE_SHARE = 1.0 / 64;
    /** What an attempt takes before any has ended: small, since an item held back for nothing costs more. */
    private static final double PRIOR_MILLIS = 1;

    final Lane lane;
    final List<TenantQueue<T>> members = new ArrayList<>();
    private final Map<SlotEntitlement, TurnHeap<T>> heaps = new EnumMap<>(SlotEntitlement.class);
    private final TurnHeap<T> within = new TurnHeap<>();
    private final TurnHeap<T> beyond = new TurnHeap<>();
    private final TurnHeap<T> beyondLong = new TurnHeap<>();
    private long round;
    private long turns;
    private double averageMillis = PRIOR_MILLIS;

    int items;
    long bytes;
    int inFlight;

    LaneBuffer(Lane lane) {
        this.lane = lane;
        heaps.put(SlotEntitlement.WITHIN, within);
        heaps.put(SlotEntitlement.BEYOND, beyond);
        heaps.put(SlotEntitlement.LONG, beyondLong);
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
        bytes += waiting.bytes;
        if (queue.size == 1) {
            queue.memberIndex = members.size();
            members.add(queue);
            setRound(queue);
            queue.turn = turns++;
            place(queue);
        }
    }

    void remove(TenantQueue<T> queue, QueueEntry<T> waiting) {
        queue.unlink(waiting);
        queue.tenant.waiting--;
        items--;
        bytes -= waiting.bytes;
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

    /** The queue whose turn it is among those that may start, or null. */
    TenantQueue<T> next(boolean mayLend, boolean mayLendLong) {
        TenantQueue<T> next = within.isEmpty() ? null : within.first();
        next = mayLend ? earlier(next, beyond) : next;
        return mayLendLong ? earlier(next, beyondLong) : next;
    }

    private TenantQueue<T> earlier(TenantQueue<T> found, TurnHeap<T> heap) {
        if (heap.isEmpty()) {
            return found;
        }
        return found == null || heap.first().isBefore(found) ? heap.first() : found;
    }

    /** Takes the first item of a queue, charges the tenant for it and makes its round the lane's. */
    QueueEntry<T> serve(TenantQueue<T> queue, double chargeMillis) {
        round = Math.max(round, queue.round);
        queue.chargedMillis = Math.max(queue.chargedMillis, round * QUANTUM_MILLIS);
        QueueEntry<T> waiting = queue.first;
        remove(queue, waiting);
        charge(queue, chargeMillis);
        return waiting;
    }

    /** Charges a tenant, or with a negative number gives back what it was charged too much. */
    void charge(TenantQueue<T> queue, double millis) {
        queue.chargedMillis += millis / queue.tenant.weight;
        long before = queue.round;
        setRound(queue);
        if (queue.heap != null && queue.round != before) {
            queue.heap.moved(queue);
        }
    }

    /** Puts a queue with waiting items where its tenant's standing says. */
    void place(TenantQueue<T> queue) {
        TurnHeap<T> heap = heaps.get(queue.tenant.standing);
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
