package io.spillway.core.scheduling;

import io.spillway.core.policy.WorkloadPolicy;

/**
 * Scheduling state of one workload of a tenant, or of several that share a queue.
 *
 * <p>Owner: {@link TenantWorkloads}.
 */
final class DispatchWorkload<T> extends SlotUser {
    /** Empty for items without a workload, and for several. */
    final String name;
    /** Whether several workloads share it, so that no limit of one applies. */
    final boolean isShared;
    private final WorkloadQueue<T>[] queues;

    // Java cannot create an array of a generic type. Only this class stores queues in it.
    @SuppressWarnings({"unchecked", "rawtypes"})
    DispatchWorkload(String name, boolean isShared) {
        super(1);
        this.name = name;
        this.isShared = isShared;
        this.queues = new WorkloadQueue[LaneBuffer.COUNT];
    }

    /** Returns the workload's part of a queue of its tenant, created on first use. */
    WorkloadQueue<T> queue(TenantQueue<T> of) {
        int lane = of.lane.index();
        WorkloadQueue<T> queue = queues[lane];
        if (queue == null) {
            queue = new WorkloadQueue<>(this, of);
            queues[lane] = queue;
        }
        return queue;
    }

    /** Returns its queue in a lane by the lane's index, or null when it has never waited there. */
    WorkloadQueue<T> queueOrNull(int lane) {
        return queues[lane];
    }

    boolean isAtCap() {
        return inFlight >= concurrency;
    }

    /** Applies the limits in force, and this worker's part of them. */
    void limit(WorkloadPolicy limits, ConcurrencyShares shares, String tenant) {
        weight = limits.weight();
        share(limits.concurrency(), shares, tenant);
    }

    /** Applies the concurrency over all workers, and this worker's part of it. */
    void share(int limit, ConcurrencyShares shares, String tenant) {
        boolean wasAtCap = isAtCap();
        limit(limit, shares, tenant, name);
        followCap(wasAtCap);
    }

    /** Changes the slots that it holds. */
    void use(int difference) {
        boolean wasAtCap = isAtCap();
        inFlight += difference;
        followCap(wasAtCap);
    }

    private void followCap(boolean wasAtCap) {
        if (isAtCap() != wasAtCap) {
            for (WorkloadQueue<T> part : queues) {
                if (part != null && part.size > 0) {
                    part.of.lane.reposition(part);
                }
            }
        }
    }
}
