package io.spillway.core.engine;

import io.spillway.core.policy.TenantPolicy;
import io.spillway.core.retry.AttemptTimeout;
import io.spillway.core.scheduling.SlotLease;
import java.util.OptionalLong;

/** A running attempt. The caller extends it with its own state. */
public abstract class EngineAttempt<T> {
    /** The item that is attempted. */
    public final T item;
    /** The tenant's policy when the attempt began; it applies until the attempt ends. */
    public final TenantPolicy policy;
    /** How long it may run. */
    public final AttemptTimeout timeout;
    /** When it began. */
    public final long startedNanos;
    /** The destination as the handler names it; the caller may set it until the attempt ends. */
    public volatile String destination = "";
    /** The slot in use; null for a suspect, which runs beside the slots. */
    final SlotLease<T> slot;
    /** Index in {@link RunningAttempts}, its owner. */
    int runningIndex = -1;

    /** When its lease ended and the caller interrupted it, epoch milliseconds; empty before. */
    private OptionalLong leaseEndedMillis = OptionalLong.empty();

    /** Creates an unregistered attempt; the slot is null for a suspect. */
    protected EngineAttempt(
            T item, SlotLease<T> slot, TenantPolicy policy, AttemptTimeout timeout, long startedNanos) {
        this.item = item;
        this.slot = slot;
        this.policy = policy;
        this.timeout = timeout;
        this.startedNanos = startedNanos;
    }

    /**
     * Records that the lease has ended and the attempt was interrupted; called as the engine is. A suspect that goes on
     * all the same delays those of other tenants no longer than {@link Quarantine#DEAF_AFTER_MILLIS}.
     */
    protected final void leaseEnded(long nowMillis) {
        leaseEndedMillis = OptionalLong.of(nowMillis);
    }

    boolean isDeaf(long nowMillis) {
        return leaseEndedMillis.isPresent()
                && nowMillis - leaseEndedMillis.getAsLong() >= Quarantine.DEAF_AFTER_MILLIS;
    }
}
