package io.spillway.gateway;

import io.spillway.config.GatewaySettings;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * What the gateway has in hand: requests, and bytes of their bodies, in all and of each tenant. It refuses beyond the
 * limits, so that one tenant cannot take all connections' memory, and it knows when everything is answered.
 *
 * <p>Owner: this object; counts change under its lock, which is held for a few additions. Bound: as many tenants as
 * requests in flight.
 */
final class InFlight {
    /** How long a body waits for others to go; they are in memory and on their way to Kafka. */
    private static final long ROOM_WAIT_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** What entering came to. */
    enum Entry {
        ENTERED,
        TENANT_FULL,
        FULL,
        STOPPING
    }

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

    /** A request of a tenant begins; when it is {@link Entry#ENTERED} it must {@link #leave}. */
    Entry enter(String tenant) {
        lock.lock();
        try {
            Share share = tenants.get(tenant);
            if (stopping) {
                return Entry.STOPPING;
            } else if (requests >= limits.requests()) {
                return Entry.FULL;
            } else if (share != null && share.requests >= limits.tenantRequests()) {
                return Entry.TENANT_FULL;
            }
            tenants.computeIfAbsent(tenant, absent -> new Share()).requests++;
            requests++;
            return Entry.ENTERED;
        } finally {
            lock.unlock();
        }
    }

    /** The request is answered; gives back the bytes that it took as well. */
    void leave(String tenant, long taken) {
        lock.lock();
        try {
            Share share = tenants.get(tenant);
            share.bytes -= taken;
            bytes -= taken;
            requests--;
            if (--share.requests == 0) {
                tenants.remove(tenant);
            }
            left.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Takes room for a body, and waits a second for it at the most.
     *
     * @param tenant has entered
     * @return whether there was room
     */
    boolean take(String tenant, long size) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            Share share = tenants.get(tenant);
            long nanos = ROOM_WAIT_NANOS;
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

    /** Lets nobody in any more. */
    void stop() {
        stopping = true;
    }

    /** Whether nobody is let in any more. */
    boolean isStopping() {
        return stopping;
    }

    /** Waits until all are answered, for so long at the most, and says how many are not. */
    int awaitNone(long millis) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            long nanos = TimeUnit.MILLISECONDS.toNanos(millis);
            while (requests > 0 && nanos > 0) {
                nanos = left.awaitNanos(nanos);
            }
            return requests;
        } finally {
            lock.unlock();
        }
    }

    /** Requests in flight now. */
    int requests() {
        return requests;
    }

    /** Of one tenant. */
    private static final class Share {
        private int requests;
        private long bytes;
    }
}
