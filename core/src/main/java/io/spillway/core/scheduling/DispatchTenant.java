package io.spillway.core.scheduling;

import io.spillway.core.policy.TenantPolicy;
import java.util.List;
import java.util.Map;

/**
 * Scheduling state of one tenant: its queues, the slots it holds and its average latency.
 *
 * <p>Owner: {@link FairDispatch}; {@link TenantTable} owns the links of idle tenants. Bound: the table's.
 */
final class DispatchTenant<T> extends SlotUser {
    final String name;
    final AdaptiveCap adaptive = new AdaptiveCap();
    private final TenantQueue<T>[] queues;
    /** Null for a tenant whose items name no workload. */
    private TenantWorkloads<T> workloads;

    /** Derived values, which the {@link SlotPool} updates after each change. */
    SlotEntitlement standing = SlotEntitlement.WITHIN;
    int share = 1;
    int cap = Integer.MAX_VALUE;
    boolean isLong;
    /** Whether none of its items may start, see {@link FairDispatch#hold}. */
    boolean isHeld;
    int holds;
    int modest;
    int wants;
    int borrows;
    int runningIndex;

    boolean active;
    boolean idle;
    long idleSinceNanos;
    DispatchTenant<T> idleBefore;
    DispatchTenant<T> idleAfter;

    // Java cannot create an array of a generic type. Only this class stores queues in it.
    @SuppressWarnings({"unchecked", "rawtypes"})
    DispatchTenant(String name, double weight) {
        super(weight);
        this.name = name;
        this.queues = new TenantQueue[LaneBuffer.COUNT];
    }

    /** Returns the tenant's queue in a lane, created on first use. */
    TenantQueue<T> queue(LaneBuffer<T> lane) {
        TenantQueue<T> queue = queues[lane.index()];
        if (queue == null) {
            queue = new TenantQueue<>(this, lane);
            queue.workloads = workloads == null ? null : new WorkloadTurns<>();
            queues[lane.index()] = queue;
        }
        return queue;
    }

    /** Returns the queue in a lane by its index, or null when the tenant has never waited there. */
    TenantQueue<T> queueOrNull(int lane) {
        return queues[lane];
    }

    /** Returns the workload of an item; null while no item of the tenant names one. */
    DispatchWorkload<T> workload(String workload, TenantPolicy policy) {
        if (workloads == null) {
            if (workload.isEmpty()) {
                return null;
            }
            divide(policy);
        }
        return workloads.of(workload, policy);
    }

    /**
     * Applies this worker's parts of its limits and adds its demand under them, while it has items. Returns whether its
     * concurrency has changed.
     */
    boolean share(ConcurrencyShares shares, Map<String, ConcurrencyShares.Demand> demands) {
        int before = concurrency;
        limit(limit, shares, name, "");
        if (limit < Integer.MAX_VALUE) {
            demands.put(name, demand());
        }
        for (DispatchWorkload<T> workload : workloads()) {
            workload.share(workload.limit, shares, name);
            if (workload.limit < Integer.MAX_VALUE && workload.isBusy()) {
                demands.put(ConcurrencyShares.key(name, workload.name), workload.demand());
            }
        }
        return concurrency != before;
    }

    private void divide(TenantPolicy policy) {
        workloads = new TenantWorkloads<>();
        DispatchWorkload<T> unnamed = workloads.of("", policy);
        for (TenantQueue<T> queue : queues) {
            if (queue != null) {
                queue.divide(unnamed);
            }
        }
    }

    /** Returns its workloads, which includes all with items; empty while no item of the tenant names one. */
    List<DispatchWorkload<T>> workloads() {
        return workloads == null ? List.of() : workloads.all();
    }

    /** Forgets its workloads while it has no items, so that an idle tenant costs no more than any other. */
    void rest() {
        adaptive.rest();
        if (workloads != null) {
            workloads = null;
            for (TenantQueue<T> queue : queues) {
                if (queue != null) {
                    queue.workloads = null;
                }
            }
        }
    }
}
