package io.spillway.core.scheduling;

import java.util.ArrayList;
import java.util.List;

/**
 * Queues by their next round: a binary heap whose members store their index, so that any member can be moved or removed
 * in logarithmic time.
 *
 * <p>Owner: {@link Turns}, with the queues of one {@link FairNode.Standing}, and its bound.
 */
final class TurnHeap<T> {
    private final List<FairQueue<T>> members = new ArrayList<>();

    /** Returns the queue whose turn it is, or null. */
    FairQueue<T> first() {
        return members.isEmpty() ? null : members.getFirst();
    }

    void insert(FairQueue<T> queue) {
        queue.heapIndex = members.size();
        members.add(queue);
        up(queue);
    }

    void remove(FairQueue<T> queue) {
        int hole = queue.heapIndex;
        FairQueue<T> last = members.removeLast();
        queue.heapIndex = -1;
        if (last != queue) {
            put(last, hole);
            moved(last);
        }
    }

    /** Restores the order after one member's round has changed. */
    void moved(FairQueue<T> queue) {
        up(queue);
        down(queue);
    }

    private void up(FairQueue<T> queue) {
        int index = queue.heapIndex;
        while (index > 0) {
            FairQueue<T> parent = members.get((index - 1) >>> 1);
            if (!queue.isBefore(parent)) {
                break;
            }
            put(parent, index);
            index = (index - 1) >>> 1;
        }
        put(queue, index);
    }

    private void down(FairQueue<T> queue) {
        int index = queue.heapIndex;
        int size = members.size();
        while (2 * index + 1 < size) {
            int child = 2 * index + 1;
            if (child + 1 < size && members.get(child + 1).isBefore(members.get(child))) {
                child++;
            }
            FairQueue<T> candidate = members.get(child);
            if (!candidate.isBefore(queue)) {
                break;
            }
            put(candidate, index);
            index = child;
        }
        put(queue, index);
    }

    private void put(FairQueue<T> queue, int index) {
        members.set(index, queue);
        queue.heapIndex = index;
    }
}
