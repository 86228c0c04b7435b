package io.spillway.core.scheduling;

/**
 * Turns of a tenant's workloads in one lane, by the rule by which tenants take turns. In the heap are those with
 * waiting items and below their concurrency.
 *
 * <p>Owner: the {@link LaneBuffer}. Bound: that of {@link TenantWorkloads}.
 */
final class WorkloadTurns<T> {
    private final Rounds rounds = new Rounds();
    private final TurnHeap<WorkloadQueue<T>> ready = new TurnHeap<>();

    /** Returns whether no workload may start, although items may wait. */
    boolean isBlocked() {
        return ready.isEmpty();
    }

    /** Returns the workload whose turn it is; one may start. */
    WorkloadQueue<T> next() {
        return ready.first();
    }

    void add(WorkloadQueue<T> queue, QueueEntry<T> waiting) {
        queue.append(waiting);
        queue.workload.waiting++;
        if (queue.size == 1) {
            rounds.join(queue);
            reposition(queue);
        }
    }

    /** Takes over the items that waited while none named a workload. */
    void takeOver(WorkloadQueue<T> queue, TenantQueue<T> own) {
        queue.takeOver(own);
        queue.workload.waiting += queue.size;
        rounds.join(queue);
        reposition(queue);
    }

    void remove(WorkloadQueue<T> queue, QueueEntry<T> waiting) {
        queue.unlink(waiting);
        queue.workload.waiting--;
        reposition(queue);
    }

    /** Takes the next item of a queue, and charges the queue for it. */
    void serve(WorkloadQueue<T> queue, QueueEntry<T> waiting, double chargeMillis) {
        rounds.serve(queue);
        remove(queue, waiting);
        charge(queue, chargeMillis);
    }

    /** Charges a workload; a negative number refunds it. */
    void charge(WorkloadQueue<T> queue, double millis) {
        if (rounds.charge(queue, millis) && queue.heapIndex >= 0) {
            ready.moved(queue);
        }
    }

    /** Puts a queue into the heap, or removes it, after a change of its items or of the workload's slots. */
    void reposition(WorkloadQueue<T> queue) {
        boolean isReady = queue.size > 0 && !queue.workload.isAtCap();
        if (isReady && queue.heapIndex < 0) {
            rounds.setRound(queue);
            ready.insert(queue);
        } else if (!isReady && queue.heapIndex >= 0) {
            ready.remove(queue);
        }
    }
}
