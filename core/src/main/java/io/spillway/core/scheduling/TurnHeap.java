package io.spillway.core.scheduling;

import java.util.ArrayList;
import java.util.List;

/**
 * Tenants of one lane and entitlement by their next round: a binary heap whose members store their index, so that any
 * member can be moved or removed in logarithmic time.
 *
 * <p>Owner: a {@link LaneBuffer}. Bound: the tenants with waiting items in the lane.
 */
final class TurnHeap<T> {
    private final List<TenantQueue<T>> members = new ArrayList<>();

    /** Returns whether it is empty; {@link #first} needs a member. */
    boolean isEmpty() {
        return members.isEmpty();
    }

    TenantQueue<T> first() {
        return members.getFirst();
    }

    void insert(TenantQueue<T> queue) {
        queue.heap = this;
        queue.heapIndex = members.size();
        members.add(queue);
        up(queue);
    }

    void remove(TenantQueue<T> queue) {
        int hole = queue.heapIndex;
        TenantQueue<T> last = members.removeLast();
        queue.heap = null;
        queue.heapIndex = -1;
        if (last != queue) {
            put(last, hole);
            moved(last);
        }
    }

    /** Restores the order after one member's round has changed. */
    void moved(TenantQueue<T> queue) {
        up(queue);
        down(queue);
    }

    private void up(TenantQueue<T> queue) {
        int index = queue.heapIndex;
        while (index > 0) {
            TenantQueue<T> parent = members.get((index - 1) >>> 1);
            if (!queue.isBefore(parent)) {
                break;
            }
            put(parent, index);
            index = (index - 1) >>> 1;
        }
        put(queue, index);
    }

    private void down(TenantQueue<T> queue) {
        int index = queue.heapIndex;
        int size = members.size();
        while (2 * index + 1 < size) {
            int child = 2 * index + 1;
            if (child + 1 < size && members.get(child + 1).isBefore(members.get(child))) {
                child++;
            }
            TenantQueue<T> candidate = members.get(child);
            if (!candidate.isBefore(queue)) {
                break;
            }
            put(candidate, index);
            index = child;
        }
        put(queue, index);
    }

    private void put(TenantQueue<T> queue, int index) {
        members.set(index, queue);
        queue.heapIndex = index;
    }
}
