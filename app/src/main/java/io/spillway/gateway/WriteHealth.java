package io.spillway.gateway;

import java.util.concurrent.TimeUnit;

/**
 * Whether Kafka confirms items, for readiness. Writes fail when items were not confirmed over {@link #FAILING_NANOS}
 * and none was confirmed in between. Without further attempts that ends after {@link #TRIAL_NANOS}, because a load
 * balancer sends none to a gateway that is not ready, and only an attempt can show that writes succeed again.
 *
 * <p>Thread-safe. Owner of its counts: this object.
 */
final class WriteHealth {
    static final long FAILING_NANOS = TimeUnit.SECONDS.toNanos(10);
    static final long TRIAL_NANOS = TimeUnit.SECONDS.toNanos(30);

    private long unconfirmed;
    private long firstNanos;
    private long lastNanos;
    /** Read without the lock for each confirmed item. */
    private volatile boolean isClean = true;

    /** Records a confirmed item, and returns how many were not confirmed before it. */
    long confirmed() {
        if (isClean) {
            return 0;
        }
        synchronized (this) {
            long missed = unconfirmed;
            unconfirmed = 0;
            isClean = true;
            return missed;
        }
    }

    /** Records an item that was not confirmed, and returns whether it is the first after a confirmed one. */
    synchronized boolean failed(long nowNanos) {
        isClean = false;
        lastNanos = nowNanos;
        firstNanos = unconfirmed == 0 ? nowNanos : firstNanos;
        return unconfirmed++ == 0;
    }

    synchronized boolean isFailing(long nowNanos) {
        return unconfirmed > 0 && lastNanos - firstNanos >= FAILING_NANOS && nowNanos - lastNanos < TRIAL_NANOS;
    }
}
