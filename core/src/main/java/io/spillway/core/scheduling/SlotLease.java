package io.spillway.core.scheduling;

/** One attempt's slot, from {@link FairDispatch#take} until {@link FairDispatch#ended}. */
public final class SlotLease<T> {
    private final T item;
    /** A {@link WorkloadQueue}, or a {@link TenantQueue} without workloads. One field, since each item has a lease. */
    private final TurnQueue<T> from;
    final long startedNanos;
    final double chargedMillis;
    /** Its entry in {@link ExpectedEnds}, if its slot is borrowed. */
    final int expectedEnd;
    /** Of its tenant's {@link AdaptiveCap}. */
    final int cohort;
    boolean ended;

    SlotLease(
            T item, TurnQueue<T> from, long startedNanos, double chargedMillis, int expectedEnd, int cohort) {
        this.item = item;
        this.from = from;
        this.startedNanos = startedNanos;
        this.chargedMillis = chargedMillis;
        this.expectedEnd = expectedEnd;
        this.cohort = cohort;
    }

    TenantQueue<T> queue() {
        return from instanceof WorkloadQueue<T> part ? part.of : (TenantQueue<T>) from;
    }

    /** Returns the queue of its workload; null when it started while no item of the tenant named one. */
    WorkloadQueue<T> workload() {
        return from instanceof WorkloadQueue<T> part ? part : null;
    }

    /** The item, as it was offered. */
    public T item() {
        return item;
    }
}
