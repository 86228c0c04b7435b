package io.spillway.worker;

import static java.util.stream.Collectors.joining;

import io.spillway.core.engine.EngineAttempt;
import io.spillway.core.policy.TenantPolicy;
import io.spillway.core.retry.AttemptTimeout;
import io.spillway.core.scheduling.SlotLease;
import io.spillway.handler.Delivery;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * One running handler call and its lease, which no step of the wall clock shortens. Its lock orders the end of the call
 * and the interrupt, so that no interrupt reaches the thread after the call has returned.
 */
final class Attempt extends EngineAttempt<LaneItem> implements Delivery.Lease {
    /** Reason for the interrupt of a call. */
    enum Interruption { NONE, LEASE_ENDED, PARTITION_LEFT }

    private static final int MAX_FRAMES = 4;

    final long startedAtMillis;
    /** Workers that died while this item ran alone; set before the attempt runs. */
    int deathsBefore;
    /** Exception that the handler threw; null for none. Owner: the thread of the call. */
    Throwable thrown;
    /** One line on the failure, for the next attempt; empty for none. Owner: the thread of the call. */
    String detail = "";
    /** Text of the failure for the dead letter; empty when the detail says everything, or another attempt follows. */
    Optional<String> failure = Optional.empty();
    private final InstantSource clock;
    private final LongSupplier nanoClock;
    private final long maxNanos;
    private Thread thread;
    /** Duration of the lease since {@link #startedNanos}. */
    private long leaseNanos;
    private Interruption interruption = Interruption.NONE;
    private boolean over;

    Attempt(
            LaneItem item, SlotLease<LaneItem> slot, TenantPolicy policy, AttemptTimeout timeout, InstantSource clock,
            LongSupplier nanoClock, long startedNanos, long leaseMaxMillis) {
        super(item, slot, policy, timeout, startedNanos);
        this.clock = clock;
        this.nanoClock = nanoClock;
        this.startedAtMillis = clock.millis();
        this.leaseNanos = TimeUnit.MILLISECONDS.toNanos(timeout.millis());
        this.maxNanos = Math.max(leaseNanos, TimeUnit.MILLISECONDS.toNanos(leaseMaxMillis));
    }

    @Override
    public synchronized Instant endsAt() {
        return endsAt(nanoClock.getAsLong() - startedNanos);
    }

    private Instant endsAt(long elapsedNanos) {
        return Instant.ofEpochMilli(clock.millis() + TimeUnit.NANOSECONDS.toMillis(leaseNanos - elapsedNanos));
    }

    @Override
    public synchronized Instant renew(Duration time) {
        if (over || interruption != Interruption.NONE) {
            throw new IllegalStateException("The lease has ended. Return; the item is attempted again.");
        }
        long elapsedNanos = nanoClock.getAsLong() - startedNanos;
        long leftNanos = Math.min(maxNanos - elapsedNanos, TimeUnit.NANOSECONDS.convert(time));
        leaseNanos = Math.max(leaseNanos, elapsedNanos + leftNanos);
        return endsAt(elapsedNanos);
    }

    /** Sets the thread that runs the call; called by that thread before the handler. */
    synchronized void begin(Thread runner) {
        thread = runner;
        if (interruption != Interruption.NONE) {
            thread.interrupt();
        }
    }

    /** Interrupts the call when its lease has ended; returns whether it did. */
    synchronized boolean interruptIfOverdue(long nowNanos) {
        boolean overdue = nowNanos - startedNanos >= leaseNanos && interrupt(Interruption.LEASE_ENDED);
        if (overdue) {
            leaseEnded(nowNanos);
        }
        return overdue;
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

    /** Returns where its thread is outside the JDK, innermost frame first, for a log line; empty before it has one. */
    synchronized String where() {
        StackTraceElement[] frames = thread == null ? new StackTraceElement[0] : thread.getStackTrace();
        return Arrays.stream(frames)
                .filter(frame -> !"java.base".equals(frame.getModuleName()))
                .limit(MAX_FRAMES).map(StackTraceElement::toString).collect(joining(" < "));
    }

    /**
     * Returns the frame that called {@code System.exit} when this call is in it: the exit and the worker would wait for
     * each other.
     */
    synchronized Optional<StackTraceElement> exitCaller() {
        StackTraceElement[] frames = thread == null ? new StackTraceElement[0] : thread.getStackTrace();
        return Arrays.stream(frames)
                .dropWhile(frame -> !isExit(frame, Runtime.class))
                .filter(frame -> !isExit(frame, Runtime.class) && !isExit(frame, System.class))
                .findFirst();
    }

    private static boolean isExit(StackTraceElement frame, Class<?> type) {
        return frame.getClassName().equals(type.getName()) && frame.getMethodName().equals("exit");
    }

    /** Marks the call as returned: from now on its thread is not interrupted. */
    synchronized Interruption finish() {
        over = true;
        return interruption;
    }
}
