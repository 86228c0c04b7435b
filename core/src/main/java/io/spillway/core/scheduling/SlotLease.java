package io.spillway.core.scheduling;

import io.spillway.core.item.Lane;

/**
 * One attempt's slot, from {@link FairDispatch#take} until {@link FairDispatch#ended}.
 *
 * @param <T> the worker's item
 */
public final class SlotLease<T> {
    private final T item;
    final TenantQueue<T> queue;
    final long startedNanos;
    final double chargedMillis;
    final boolean lentLong;
    boolean ended;

    SlotLease(T item, TenantQueue<T> queue, long startedNanos, double chargedMillis, boolean lentLong) {
        this.item = item;
        this.queue = queue;
        this.startedNanos = startedNanos;
        this.chargedMillis = chargedMillis;
        this.lentLong = lentLong;
    }

    /** The item, as it was offered. */
    public T item() {
        return item;
    }

    /** The item's tenant, never null. */
    public String tenant() {
        return queue.tenant.name;
    }

    /** The lane the item waited in. */
    public Lane lane() {
        return queue.lane.lane;
    }
}
