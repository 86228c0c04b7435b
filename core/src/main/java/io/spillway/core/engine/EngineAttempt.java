package io.spillway.core.engine;

import io.spillway.core.policy.TenantPolicy;
import io.spillway.core.scheduling.SlotLease;

/** A running attempt. The caller extends it with its own state. */
public abstract class EngineAttempt<T> {
    /** The item that is attempted. */
    public final T item;
    /** The tenant's policy when the attempt began; it applies until the attempt ends. */
    public final TenantPolicy policy;
    /** The slot in use; null for a suspect, which runs beside the slots. */
    final SlotLease<T> slot;
    /** Index in {@link RunningAttempts}, its owner. */
    int runningIndex = -1;

    /** Creates an unregistered attempt; the slot is null for a suspect. */
    protected EngineAttempt(T item, SlotLease<T> slot, TenantPolicy policy) {
        this.item = item;
        this.slot = slot;
        this.policy = policy;
    }
}
