package io.spillway.core.scheduling;

import java.util.ArrayList;
import java.util.List;

/**
 * Waiting items of one tenant in one lane, and the tenant's charge in that lane. The items are in its own list, or in
 * those of the tenant's workloads; its size counts them all.
 *
 * <p>Owner: the {@link LaneBuffer} of its lane, the only caller of its mutators. Bound: the lane's.
 */
final class TenantQueue<T> extends TurnQueue<T> {
    final DispatchTenant<T> tenant;
    final LaneBuffer<T> lane;

    /** Null while no item of the tenant names one. */
    WorkloadTurns<T> workloads;

    TurnHeap<TenantQueue<T>> heap;
    int memberIndex = -1;

    TenantQueue(DispatchTenant<T> tenant, LaneBuffer<T> lane) {
        this.tenant = tenant;
        this.lane = lane;
    }

    @Override
    double weight() {
        return tenant.weight;
    }

    /** Returns whether all its items are of workloads at their concurrency. */
    boolean isBlocked() {
        return workloads != null && workloads.isBlocked();
    }

    /** Adds an item; its workload is null while no item of the tenant names one. */
    void add(QueueEntry<T> waiting, DispatchWorkload<T> workload) {
        if (workload == null) {
            append(waiting);
        } else {
            workloads.add(workload.queue(this), waiting);
            size++;
        }
    }

    /** Divides the queue into workloads; the items that wait already are those of this one. */
    void divide(DispatchWorkload<T> unnamed) {
        workloads = new WorkloadTurns<>();
        if (size > 0) {
            workloads.takeOver(unnamed.queue(this), this);
        }
    }

    /** Removes an item; its workload's queue is null while {@link #workloads} is. */
    void remove(QueueEntry<T> waiting, WorkloadQueue<T> from) {
        if (from == null) {
            unlink(waiting);
        } else {
            workloads.remove(from, waiting);
            size--;
        }
    }

    /** Visits its items, workload by workload. */
    void visitItems(WaitingVisitor<T> visitor) {
        visit(visitor);
        parts().forEach(part -> part.visit(visitor));
    }

    /** Returns the queues of its workloads with items, in a new list; empty while no item names a workload. */
    List<WorkloadQueue<T>> parts() {
        List<WorkloadQueue<T>> parts = new ArrayList<>();
        for (DispatchWorkload<T> workload : tenant.workloads()) {
            WorkloadQueue<T> part = workload.queueOrNull(lane.index());
            if (part != null && part.size > 0) {
                parts.add(part);
            }
        }
        return parts;
    }
}
