package io.spillway.gateway;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/**
 * Time limit for reads from slow clients. The server limits only the time without data, not a slow trickle. A thread
 * over the limit is interrupted, which closes its connection.
 *
 * <p>Owner of the deadlines: this object. Bound: one for each connection, whose number is limited.
 */
final class SlowReads {
    private final LongSupplier nanoTime;
    private final long limitNanos;
    private final Map<Thread, Long> sinceNanos = new ConcurrentHashMap<>();

    SlowReads(LongSupplier nanoTime, long limitNanos) {
        this.nanoTime = nanoTime;
        this.limitNanos = limitNanos;
    }

    void begin() {
        sinceNanos.put(Thread.currentThread(), nanoTime.getAsLong());
    }

    void end() {
        sinceNanos.remove(Thread.currentThread());
    }

    /** Interrupts all threads over the limit. Call it about twice per second. */
    void interruptOverdue() {
        long now = nanoTime.getAsLong();
        sinceNanos.forEach((thread, since) -> {
            // 25 % later than the reader's own check between two reads, which can still send a response.
            if (now - since > limitNanos + limitNanos / 4 && sinceNanos.remove(thread, since)) {
                thread.interrupt();
            }
        });
    }
}
