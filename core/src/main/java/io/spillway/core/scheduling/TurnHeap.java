package io.spillway.core.scheduling;

import java.util.ArrayList;
import java.util.List;

/**
 * Queues by their next round: a binary heap whose members store their index, so that any member can be moved or removed
 * in logarithmic time.
 *
 * <p>Owner: a {@link LaneBuffer}, with the tenants of one entitlement, or a {@link WorkloadTurns}. Bound: the tenants
 * with waiting items in the lane, or the queues of one tenant's workloads.
 */
final class TurnHeap<Q extends TurnQueue<?>> {
    private final List<Q> members = new ArrayList<>();

    /** Returns whether it is empty; {@link #first} needs a member. */
    boolean isEmpty() {
        return members.isEmpty();
    }

    Q first() {
        return members.getFirst();
    }

    void insert(Q queue) {
        queue.heapIndex = members.size();
        members.add(queue);
        up(queue);
    }

    void remove(Q queue) {
        int hole = queue.heapIndex;
        Q last = members.removeLast();
        queue.heapIndex = -1;
        if (last != queue) {
            put(last, hole);
            moved(last);
        }
    }

    /** Restores the order after one member's round has changed. */
    void moved(Q queue) {
        up(queue);
        down(queue);
    }

    private void up(Q queue) {
        int index = queue.heapIndex;
        while (index > 0) {
            Q parent = members.get((index - 1) >>> 1);
            if (!queue.isBefore(parent)) {
                break;
            }
            put(parent, index);
            index = (index - 1) >>> 1;
        }
        put(queue, index);
    }

    private void down(Q queue) {
        int index = queue.heapIndex;
        int size = members.size();
        while (2 * index + 1 < size) {
            int child = 2 * index + 1;
            if (child + 1 < size && members.get(child + 1).isBefore(members.get(child))) {
                child++;
            }
            Q candidate = members.get(child);
            if (!candidate.isBefore(queue)) {
                break;
            }
            put(candidate, index);
            index = child;
        }
        put(queue, index);
    }

    private void put(Q queue, int index) {
        members.set(index, queue);
        queue.heapIndex = index;
    }
}
