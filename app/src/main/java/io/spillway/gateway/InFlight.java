package io.spillway.gateway;

import io.spillway.config.GatewaySettings;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Concurrency limiter: counts requests in flight and the bytes of their bodies that have arrived, in total and by
 * tenant, and rejects requests over the limits, so that no few tenants can use all memory.
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

    /** Returns a request of a tenant that is not registered yet. */
    Request of(String tenant) {
        return new Request(tenant);
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

    /** A request of a tenant, used by its thread alone. */
    final class Request {
        private final String tenant;
        private long held;
        private boolean isRefused;

        private Request(String tenant) {
            this.tenant = tenant;
        }

        /** Registers the request; the caller must then call {@link #leave}. Returns the problem if it is rejected. */
        Optional<Problem> enter() {
            lock.lock();
            try {
                Share share = tenants.get(tenant);
                if (stopping) {
                    return Optional.of(Problem.of(Problem.Kind.STOPPING, "The gateway is shutting down.", 1_000));
                } else if (requests >= limits.requests()) {
                    return Optional.of(Problem.of(Problem.Kind.BUSY, "Too many requests are in flight.", 1_000));
                } else if (share != null && share.requests.size() >= limits.tenantRequests()) {
                    return Optional.of(Problem.of(Problem.Kind.TOO_MANY_REQUESTS,
                            "The tenant has " + limits.tenantRequests() + " requests in flight, its limit.", 1_000));
                }
                tenants.computeIfAbsent(tenant, absent -> new Share()).requests.add(this);
                requests++;
                return Optional.empty();
            } finally {
                lock.unlock();
            }
        }

        /** Unregisters an answered request and releases the memory that it holds. */
        void leave() {
            lock.lock();
            try {
                Share share = tenants.get(tenant);
                share.bytes -= held;
                bytes -= held;
                requests--;
                share.requests.remove(this);
                if (share.requests.isEmpty()) {
                    tenants.remove(tenant);
                }
                left.signalAll();
            } finally {
                lock.unlock();
            }
        }

        /** Counts bytes of the body that have arrived. Waits up to one second for memory; false without success. */
        boolean hold(long size) throws InterruptedException {
            lock.lockInterruptibly();
            try {
                Share share = tenants.get(tenant);
                long nanos = MEMORY_WAIT_NANOS;
                while (!fits(share, size)) {
                    if (nanos <= 0) {
                        isRefused = true;
                        return false;
                    }
                    nanos = left.awaitNanos(nanos);
                }
                held += size;
                bytes += size;
                share.bytes += size;
                return true;
            } finally {
                lock.unlock();
            }
        }

        /**
         * A tenant may hold as much as stays free, so that there is memory for one more tenant, however many hold some:
         * half for one, a third each for two. The oldest request of a tenant may use all that is free; otherwise its
         * requests could all wait for each other.
         */
        private boolean fits(Share share, long size) {
            long free = limits.bytesInFlight() - bytes - size;
            return free >= 0 && (share.bytes + size <= free || share.requests.iterator().next() == this);
        }

        boolean isRefused() {
            return isRefused;
        }
    }

    private static final class Share {
        /** In the order of their arrival. */
        private final Set<Request> requests = new LinkedHashSet<>();
        private long bytes;
    }
}
