package io.spillway.core.scheduling;

/** Waiting items of one workload of a tenant in one lane, and the workload's charge among its siblings. */
final class WorkloadQueue<T> extends TurnQueue<T> {
    final DispatchWorkload<T> workload;
    /** The tenant's queue that it is a part of. */
    final TenantQueue<T> of;

    WorkloadQueue(DispatchWorkload<T> workload, TenantQueue<T> of) {
        this.workload = workload;
        this.of = of;
    }

    @Override
    double weight() {
        return workload.weight;
    }
}
