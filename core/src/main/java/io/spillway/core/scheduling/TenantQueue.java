package io.spillway.core.scheduling;

/**
 * Waiting items of one tenant in one lane, first in first out, and the tenant's charge in that lane.
 *
 * <p>Owner: the {@link LaneBuffer} of its lane, the only caller of its mutators. Bound: the lane's.
 */
final class TenantQueue<T> {
    final DispatchTenant<T> tenant;
    final LaneBuffer<T> lane;

    QueueEntry<T> first;
    private QueueEntry<T> last;
    int size;

    /** Slot-milliseconds per unit of weight, on the scale of the lane's rounds. */
    double chargedMillis;

    /** Round of the lane in which this tenant is next served, and its position within that round. */
    long round;
    long turn;

    TurnHeap<T> heap;
    int heapIndex = -1;
    int memberIndex = -1;

    TenantQueue(DispatchTenant<T> tenant, LaneBuffer<T> lane) {
        this.tenant = tenant;
        this.lane = lane;
    }

    void add(QueueEntry<T> waiting) {
        waiting.before = last;
        if (last == null) {
            first = waiting;
        } else {
            last.after = waiting;
        }
        last = waiting;
        size++;
    }

    void unlink(QueueEntry<T> waiting) {
        if (waiting.before == null) {
            first = waiting.after;
        } else {
            waiting.before.after = waiting.after;
        }
        if (waiting.after == null) {
            last = waiting.before;
        } else {
            waiting.after.before = waiting.before;
        }
        size--;
    }

    boolean isBefore(TenantQueue<T> other) {
        return round != other.round ? round < other.round : turn < other.turn;
    }
}
