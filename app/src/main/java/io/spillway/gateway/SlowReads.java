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
    private final Map<Thread, Long> endNanos = new ConcurrentHashMap<>();

    SlowReads(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    void begin(long limitNanos) {
        // 25 % later than the reader's own check between two reads, which can still send a response.
        endNanos.put(Thread.currentThread(), nanoTime.getAsLong() + limitNanos + limitNanos / 4);
    }

    void end() {
        endNanos.remove(Thread.currentThread());
    }

    /** Interrupts all threads over the limit. Call it about twice per second. */
    void interruptOverdue() {
        long now = nanoTime.getAsLong();
        endNanos.forEach((thread, end) -> {
            if (now - end > 0 && endNanos.remove(thread, end)) {
                thread.interrupt();
            }
        });
    }
}
