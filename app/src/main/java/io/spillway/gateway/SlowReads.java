package io.spillway.gateway;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Ends reads that take too long: the server limits how long a caller may be silent, and not how long it may trickle. A
 * thread whose time is up is interrupted, which closes its connection.
 *
 * <p>Owner of the deadlines: this object. Bound: one a connection, whose number is limited.
 */
final class SlowReads {
    private final LongSupplier nanoTime;
    private final long limitNanos;
    private final Map<Thread, Long> sinceNanos = new ConcurrentHashMap<>();

    SlowReads(LongSupplier nanoTime, long limitMillis) {
        this.nanoTime = nanoTime;
        this.limitNanos = TimeUnit.MILLISECONDS.toNanos(limitMillis);
    }

    /** The calling thread begins to read. */
    void begin() {
        sinceNanos.put(Thread.currentThread(), nanoTime.getAsLong());
    }

    /** The calling thread has read. */
    void end() {
        sinceNanos.remove(Thread.currentThread());
    }

    /** Interrupts whoever has been at it for too long. Call it twice a second or so. */
    void look() {
        long now = nanoTime.getAsLong();
        sinceNanos.forEach((thread, since) -> {
            // A little later than the reader itself would notice between two reads, for then it can still answer.
            if (now - since > limitNanos + limitNanos / 4 && sinceNanos.remove(thread, since)) {
                thread.interrupt();
            }
        });
    }
}
