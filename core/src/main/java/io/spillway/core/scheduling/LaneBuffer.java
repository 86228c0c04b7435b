package io.spillway.core.scheduling;

import io.spillway.core.item.Lane;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Waiting items of one lane. Its tenants take turns by slot time (see {@link Rounds}), and so do the workloads of each.
 *
 * <p>Owner: {@link FairDispatch}. Bound: the lane's read-ahead and one poll batch.
 */
final class LaneBuffer<T> {
    /** Scheduled lanes: hot, overflow, aged, in the order of {@link Lane}. */
    static final int COUNT = Lane.WORKED.size();
    /** Weight of the newest attempt in the lane's average. */
    private static final double AVERAGE_SHARE = 1.0 / 64;
    /** Estimate before any attempt has ended: small, since holding back an item needlessly costs more. */
    private static final double PRIOR_MILLIS = 1;

    final Lane lane;
    final Trickle trickle;
    final List<TenantQueue<T>> members = new ArrayList<>();
    private final TurnHeap<TenantQueue<T>> within = new TurnHeap<>();
    private final TurnHeap<TenantQueue<T>> beyond = new TurnHeap<>();
    private final TurnHeap<TenantQueue<T>> beyondLong = new TurnHeap<>();
    private final Rounds rounds = new Rounds();
    private double averageMillis = PRIOR_MILLIS;

    int items;
    /** Number and size of the lane's items in memory, also of those that do not wait here. */
    int heldItems;
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

    /** Adds an item; its workload is null while no item of the tenant names one. */
    void add(TenantQueue<T> queue, DispatchWorkload<T> workload, QueueEntry<T> waiting) {
        queue.add(waiting, workload);
        queue.tenant.waiting++;
        items++;
        if (queue.size == 1) {
            queue.memberIndex = members.size();
            members.add(queue);
            rounds.join(queue);
        }
        if (queue.heap == null) {
            reposition(queue);
        }
    }

    /** Removes an item from a queue; the workload's queue that has it is null while no item names a workload. */
    void remove(TenantQueue<T> queue, WorkloadQueue<T> from, QueueEntry<T> waiting) {
        queue.remove(waiting, from);
        removed(queue);
    }

    /** Removes items, and passes each tenant that had any. */
    void removeIf(Predicate<T> gone, Consumer<DispatchTenant<T>> looked) {
        for (int i = members.size() - 1; i >= 0; i--) {
            TenantQueue<T> queue = members.get(i);
            if (queue.workloads == null) {
                removeIf(queue, null, queue, gone);
            } else {
                queue.parts().forEach(part -> removeIf(queue, part, part, gone));
            }
            looked.accept(queue.tenant);
        }
    }

    private void removeIf(TenantQueue<T> queue, WorkloadQueue<T> part, EntryQueue<T> items, Predicate<T> gone) {
        items.forEach(waiting -> {
            if (gone.test(waiting.item)) {
                remove(queue, part, waiting);
            }
        });
    }

    private void removed(TenantQueue<T> queue) {
        queue.tenant.waiting--;
        items--;
        if (queue.size == 0) {
            TenantQueue<T> last = members.removeLast();
            if (last != queue) {
                members.set(queue.memberIndex, last);
                last.memberIndex = queue.memberIndex;
            }
            queue.memberIndex = -1;
        }
        if (queue.heap != null && (queue.size == 0 || queue.isBlocked())) {
            leaveHeap(queue);
        }
    }

    /** Returns the next queue among those that may start, or null. */
    TenantQueue<T> next(boolean mayLend, boolean mayLendLong) {
        TenantQueue<T> next = earlier(null, within);
        next = mayLend ? earlier(next, beyond) : next;
        return mayLendLong ? earlier(next, beyondLong) : next;
    }

    private TenantQueue<T> earlier(TenantQueue<T> found, TurnHeap<TenantQueue<T>> heap) {
        if (heap.isEmpty()) {
            return found;
        }
        return found == null || heap.first().isBefore(found) ? heap.first() : found;
    }

    /** Takes the next item of a queue, charges its tenant and workload for it and advances to the queue's round. */
    QueueEntry<T> serve(TenantQueue<T> queue, WorkloadQueue<T> from, double chargeMillis) {
        rounds.serve(queue);
        QueueEntry<T> waiting;
        if (from == null) {
            waiting = queue.head();
            queue.unlink(waiting);
        } else {
            waiting = from.head();
            queue.workloads.serve(from, waiting, chargeMillis);
            queue.size--;
        }
        removed(queue);
        chargeTenant(queue, chargeMillis);
        return waiting;
    }

    /** Charges a tenant, and its workload when it has them; a negative number refunds it. */
    void charge(TenantQueue<T> queue, WorkloadQueue<T> from, double millis) {
        chargeTenant(queue, millis);
        if (from != null) {
            queue.workloads.charge(from, millis);
        }
    }

    private void chargeTenant(TenantQueue<T> queue, double millis) {
        if (rounds.charge(queue, millis) && queue.heap != null) {
            queue.heap.moved(queue);
        }
    }

    /** Puts a queue with waiting items into the heap of its tenant's entitlement, unless its workloads block it. */
    void reposition(TenantQueue<T> queue) {
        TurnHeap<TenantQueue<T>> heap = queue.isBlocked() ? null : switch (queue.tenant.standing) {
            case WITHIN -> within;
            case BEYOND -> beyond;
            case LONG -> beyondLong;
            case HELD -> null;
        };
        if (queue.heap == heap) {
            return;
        }
        if (queue.heap != null) {
            leaveHeap(queue);
        }
        if (heap != null) {
            rounds.setRound(queue);
            heap.insert(queue);
            queue.heap = heap;
        }
    }

    /** Follows the slots of a workload whose items wait. */
    void reposition(WorkloadQueue<T> part) {
        part.of.workloads.reposition(part);
        reposition(part.of);
    }

    private void leaveHeap(TenantQueue<T> queue) {
        queue.heap.remove(queue);
        queue.heap = null;
    }

    void attemptEnded(double millis) {
        averageMillis += (millis - averageMillis) * AVERAGE_SHARE;
    }
}
