package io.spillway.gateway;

import io.spillway.config.GatewaySettings;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Concurrency limiter: counts requests in flight and the bytes of their bodies, in total and by tenant, and rejects
 * requests over the limits, so that no single tenant can use all memory.
 *
 * <p>Owner: this object; counts change under its lock, which is held for a few additions. Bound: as many tenants as
 * requests in flight.
 */
final class InFlight {
    /** Maximum wait for memory; the bodies that hold it are being sent to Kafka. */
    private static final long MEMORY_WAIT_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final GatewaySettings.Limits limits;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition left = lock.newCondition();
    private final Map<String, Share> tenants = new HashMap<>();
    private volatile int requests;
    private long bytes;
    private volatile boolean stopping;

    InFlight(GatewaySettings.Limits limits) {
        this.limits = limits;
    }

    /** Registers a request of a tenant; the caller must then call {@link #leave}. Returns the problem if rejected. */
    Optional<Problem> enter(String tenant) {
        lock.lock();
        try {
            Share share = tenants.get(tenant);
            if (stopping) {
                return Optional.of(Problem.of(Problem.Kind.STOPPING, "The gateway is shutting down.", 1_000));
            } else if (requests >= limits.requests()) {
                return Optional.of(Problem.of(Problem.Kind.BUSY, "Too many requests are in flight.", 1_000));
            } else if (share != null && share.requests >= limits.tenantRequests()) {
                return Optional.of(Problem.of(Problem.Kind.TOO_MANY_REQUESTS,
                        "The tenant has " + limits.tenantRequests() + " requests in flight, its limit.", 1_000));
            }
            tenants.computeIfAbsent(tenant, absent -> new Share()).requests++;
            requests++;
            return Optional.empty();
        } finally {
            lock.unlock();
        }
    }

    /** Unregisters an answered request and releases the bytes that it reserved. */
    void leave(String tenant, long reserved) {
        lock.lock();
        try {
            Share share = tenants.get(tenant);
            share.bytes -= reserved;
            bytes -= reserved;
            requests--;
            if (--share.requests == 0) {
                tenants.remove(tenant);
            }
            left.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Reserves memory for the body of an entered request. Waits up to one second; returns false without success. */
    boolean reserve(String tenant, long size) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            Share share = tenants.get(tenant);
            long nanos = MEMORY_WAIT_NANOS;
            while (bytes + size > limits.bytesInFlight() || share.bytes + size > limits.bytesInFlight() / 2) {
                if (nanos <= 0) {
                    return false;
                }
                nanos = left.awaitNanos(nanos);
            }
            bytes += size;
            share.bytes += size;
            return true;
        } finally {
            lock.unlock();
        }
    }

    void stop() {
        stopping = true;
    }

    boolean isStopping() {
        return stopping;
    }

    /** Waits until all requests are answered or the timeout ends, and returns the number of unanswered requests. */
    int awaitNone(long timeoutMillis) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            long nanos = TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
            while (requests > 0 && nanos > 0) {
                nanos = left.awaitNanos(nanos);
            }
            return requests;
        } finally {
            lock.unlock();
        }
    }

    int requests() {
        return requests;
    }

    private static final class Share {
        private int requests;
        private long bytes;
    }
}
