package io.spillway.worker;

import io.spillway.core.engine.EngineAttempt;
import io.spillway.core.policy.TenantPolicy;
import io.spillway.core.scheduling.SlotLease;
import io.spillway.handler.Delivery;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Arrays;

/**
 * One running handler call and its lease. Its lock orders the end of the call and the interrupt, so that no interrupt
 * reaches the thread after the call has returned.
 */
final class Attempt extends EngineAttempt<LaneItem> implements Delivery.Lease {
    /** Reason for the interrupt of a call. */
    enum Interruption { NONE, LEASE_ENDED, PARTITION_LEFT }

    final long startedAtMillis;
    final long startedNanos;
    private final InstantSource clock;
    private final long latestEndMillis;
    private Thread thread;
    private long endsAtMillis;
    private Interruption interruption = Interruption.NONE;
    private boolean over;

    Attempt(
            LaneItem item, SlotLease<LaneItem> slot, TenantPolicy policy, InstantSource clock, long startedNanos,
            long leaseMaxMillis) {
        super(item, slot, policy);
        this.clock = clock;
        this.startedAtMillis = clock.millis();
        this.startedNanos = startedNanos;
        this.endsAtMillis = startedAtMillis + policy.timeoutMillis();
        this.latestEndMillis = startedAtMillis + Math.max(policy.timeoutMillis(), leaseMaxMillis);
    }

    @Override
    public synchronized Instant endsAt() {
        return Instant.ofEpochMilli(endsAtMillis);
    }

    @Override
    public synchronized Instant renew(Duration time) {
        if (over || interruption != Interruption.NONE) {
            throw new IllegalStateException("The lease has ended. Return; the item is attempted again.");
        }
        endsAtMillis = Math.max(endsAtMillis, Math.min(latestEndMillis, clock.millis() + time.toMillis()));
        return Instant.ofEpochMilli(endsAtMillis);
    }

    /** Sets the thread that runs the call; called by that thread before the handler. */
    synchronized void begin(Thread runner) {
        thread = runner;
        if (interruption != Interruption.NONE) {
            thread.interrupt();
        }
    }

    /** Interrupts the call when its lease has ended; returns whether it did. */
    synchronized boolean interruptIfOverdue(long nowMillis) {
        return nowMillis >= endsAtMillis && interrupt(Interruption.LEASE_ENDED);
    }

    /** Ends the lease now; returns whether this call ended it. */
    synchronized boolean interrupt(Interruption why) {
        if (over || interruption != Interruption.NONE) {
            return false;
        }
        interruption = why;
        if (thread != null) {
            thread.interrupt();
        }
        return true;
    }

    synchronized boolean isInterrupted() {
        return interruption != Interruption.NONE;
    }

    /** Returns whether this call is in {@code System.exit}: the exit and the worker would wait for each other. */
    synchronized boolean endsProcess() {
        return thread != null && Arrays.stream(thread.getStackTrace()).anyMatch(frame ->
                frame.getClassName().equals(Runtime.class.getName()) && frame.getMethodName().equals("exit"));
    }

    /** Marks the call as returned: from now on its thread is not interrupted. */
    synchronized Interruption finish() {
        over = true;
        return interruption;
    }
}
