package io.spillway.core.engine;

import io.spillway.core.policy.TenantPolicy;
import io.spillway.core.scheduling.SlotLease;

/**
 * One running attempt. The caller extends it with what it needs to run the attempt.
 *
 * @param <T> the caller's item
 */
public abstract class EngineAttempt<T> {
    /** What is attempted. */
    public final T item;
    /** The policy of its tenant when the attempt began; it holds until the attempt ends. */
    public final TenantPolicy policy;
    /** The slot in use; null for a suspect, which runs beside the slots. */
    final SlotLease<T> slot;
    /** Index in {@link RunningAttempts}, which owns it. */
    int runningIndex = -1;

    /**
     * Makes one that is not registered yet.
     *
     * @param slot null for a suspect
     */
    protected EngineAttempt(T item, SlotLease<T> slot, TenantPolicy policy) {
        this.item = item;
        this.slot = slot;
        this.policy = policy;
    }
}
