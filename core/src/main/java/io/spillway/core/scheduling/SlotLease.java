package io.spillway.core.scheduling;

/** One attempt's slot, from {@link FairDispatch#take} until {@link FairDispatch#ended}. */
public final class SlotLease<T> {
    private final T item;
    final TenantQueue<T> queue;
    /** Queue of its workload; null when it came while no item of the tenant named one. */
    final WorkloadQueue<T> workload;
    final long startedNanos;
    final double chargedMillis;
    final boolean lentLong;
    /** Starts of other lanes before this one, see {@link Trickle}. */
    final long startsOfOthers;
    boolean ended;

    SlotLease(
            T item, TenantQueue<T> queue, WorkloadQueue<T> workload, long startedNanos, double chargedMillis,
            boolean lentLong, long startsOfOthers) {
        this.item = item;
        this.queue = queue;
        this.workload = workload;
        this.startedNanos = startedNanos;
        this.chargedMillis = chargedMillis;
        this.lentLong = lentLong;
        this.startsOfOthers = startsOfOthers;
    }

    /** The item, as it was offered. */
    public T item() {
        return item;
    }
}
