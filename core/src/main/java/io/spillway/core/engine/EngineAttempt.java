package io.spillway.core.engine;

import io.spillway.core.policy.TenantPolicy;
import io.spillway.core.retry.AttemptTimeout;
import io.spillway.core.scheduling.SlotLease;
import java.util.OptionalLong;

/** A running attempt. The caller extends it with its own state. */
public abstract class EngineAttempt<T> {
    /** Constructor of the caller's attempts. */
    @FunctionalInterface
    public interface Factory<T, A> {
        /**
         * Creates an attempt that begins now.
         *
         * @param slot    null for a suspect
         * @param policy  of the item's tenant
         * @param timeout after which the caller stops the attempt
         */
        A create(T item, SlotLease<T> slot, TenantPolicy policy, AttemptTimeout timeout, long nowNanos);
    }

    /** Time for a handler to return after its interrupt. */
    static final long DEAF_AFTER_NANOS = 1_000_000_000L;
    /** Time after the interrupt after which nobody expects it to return. Longer than the time-outs of most clients. */
    public static final long STUCK_AFTER_NANOS = 120_000_000_000L;

    /** The item that is attempted. One that started early is replaced by its committed record. */
    public volatile T item;
    /** The tenant's policy when the attempt began; it applies until the attempt ends. */
    public final TenantPolicy policy;
    /** How long it may run. */
    public final AttemptTimeout timeout;
    /** When it began. */
    public final long startedNanos;
    /** The destination as the handler names it; the caller may set it until the attempt ends. */
    public volatile String destination = "";
    /**
     * Whether a failure may be that of its item; the caller sets it to false before the end of a call for several that
     * has failed as one.
     */
    public boolean isJudged = true;
    /** The slot in use; null for a suspect, which runs beside the slots. */
    final SlotLease<T> slot;
    /** Index in {@link RunningAttempts}, its owner. */
    int runningIndex = -1;
    /** Whether its item started early and was not confirmed: its end has no effect. */
    boolean isForgotten;

    /** Whether its item has left its partition, into the delay lane, where the attempt's end settles it. */
    private boolean isClaimed;
    /** Whether that is committed. */
    private boolean isClaimHeld;

    /** When its lease ended, or its partition was lost, and the caller interrupted it; empty before. */
    private OptionalLong leaseEndedNanos = OptionalLong.empty();
    private boolean isGivenUp;

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
     * Records that the lease has ended, or the partition is lost, and the attempt was interrupted; called as the engine
     * is, and only the first call counts. A suspect that goes on all the same delays those of other tenants for a
     * second. The item of any attempt that goes on becomes a dead letter after two minutes; its slot stays in use.
     */
    protected final void leaseEnded(long nowNanos) {
        if (leaseEndedNanos.isEmpty()) {
            leaseEndedNanos = OptionalLong.of(nowNanos);
        }
    }

    /** Returns whether its item may be claimed now; not if it was interrupted. */
    protected boolean mayBeClaimed() {
        return leaseEndedNanos.isEmpty();
    }

    /** Returns whether it runs in the call and the slot of another one. */
    public final boolean isRider() {
        return slot != null && slot.isRider();
    }

    /** Returns whether its item is claimed, or will be with the next commit of its partition. */
    public final boolean isClaimed() {
        return isClaimed;
    }

    /** Returns whether its claim is committed, so that it may outlive its partition. */
    public final boolean isClaimHeld() {
        return isClaimHeld;
    }

    /** Records that its claim is committed; called as the engine is. */
    public final void claimHeld() {
        isClaimHeld = true;
    }

    void claim() {
        isClaimed = true;
    }

    /** Returns whether its item has ended without it, because it ignored its interrupt for too long. */
    public final boolean isGivenUp() {
        return isGivenUp;
    }

    void giveUp() {
        isGivenUp = true;
    }

    /** Returns whether it goes on a second after its interrupt. */
    public final boolean isDeaf(long nowNanos) {
        return hasIgnoredItsEndFor(DEAF_AFTER_NANOS, nowNanos);
    }

    boolean isStuck(long nowNanos) {
        return !isGivenUp && hasIgnoredItsEndFor(STUCK_AFTER_NANOS, nowNanos);
    }

    private boolean hasIgnoredItsEndFor(long nanos, long nowNanos) {
        return leaseEndedNanos.isPresent() && nowNanos - leaseEndedNanos.getAsLong() >= nanos;
    }
}
