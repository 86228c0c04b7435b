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
 * One running call of the handler, and its lease. Its own lock guards the end of the lease, so that no interrupt can
 * hit the thread after the call is over.
 */
final class Attempt extends EngineAttempt<LaneItem> implements Delivery.Lease {
    /** Why a call was interrupted. */
    enum Interruption {
        NONE,
        LEASE_ENDED,
        PARTITION_LEFT
    }

    final long startedAtMillis;
    final long startedNanos;
    private final InstantSource clock;
    private final long latestEndMillis;
    private Thread thread;
    private long endsAtMillis;
    private Interruption interruption = Interruption.NONE;
    private boolean over;

    Attempt(LaneItem item, SlotLease<LaneItem> slot, TenantPolicy policy, InstantSource clock, long startedNanos, long leaseMaxMillis) {
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
            throw new IllegalStateException("the lease has ended");
        }
        endsAtMillis = Math.max(endsAtMillis, Math.min(latestEndMillis, clock.millis() + time.toMillis()));
        return Instant.ofEpochMilli(endsAtMillis);
    }

    /** The thread that runs the call, from its first instruction on. */
    synchronized void begin(Thread runner) {
        thread = runner;
        if (interruption != Interruption.NONE) {
            thread.interrupt();
        }
    }

    /** Ends the lease when its time is over. */
    synchronized boolean interruptIfOverdue(long nowMillis) {
        return nowMillis >= endsAtMillis && interrupt(Interruption.LEASE_ENDED);
    }

    /** Ends the lease now. */
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

    /** Whether this call has asked the JVM to exit, which then waits for the worker to stop, and the call for both. */
    synchronized boolean endsProcess() {
        return thread != null && Arrays.stream(thread.getStackTrace())
                .anyMatch(frame -> frame.getClassName().equals(Runtime.class.getName()) && frame.getMethodName().equals("exit"));
    }

    /** The call has returned; from here on the thread is not interrupted. */
    synchronized Interruption finish() {
        over = true;
        return interruption;
    }
}
