package io.spillway.core.ratelimit;

import io.spillway.core.hashing.LinearProbing;
import io.spillway.core.hashing.TenantHash;
import io.spillway.core.policy.RateLimit;
import io.spillway.core.policy.TenantContext;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/**
 * Rate limiter of one process: one state of a {@link RateLimit} for each tenant, shared by all threads.
 *
 * <p>Tenants are identified by the hash in their {@link TenantContext}. Hash and state share one array
 * ({@link LinearProbing}), so a look-up among 100,000 tenants costs one cache miss, where a map of objects costs five.
 * Two tenants with the same hash share a bucket.
 *
 * <p>Owner: each {@link Stripe} owns its array under its own lock. The table is not kept over a restart, which allows a
 * tenant one more burst.
 *
 * <p>Bound: {@code maxTenants} states (32 to 64 bytes each). A state in the past is equal to no state, so
 * {@link #prune} removes it. When the table is full, items of further tenants are admitted unmeasured and counted in
 * {@link #unmeasured}; the worker's fair scheduling still contains them.
 */
public final class RateTable {
    /** Maximum difference between the threads' clocks. A state further ahead has another cause. */
    private static final long MAX_SKEW_NANOS = 1_000_000_000;
    private static final int STRIPES = 64;

    private final int maxTenants;
    private final ProportionalRates shares;
    private final Stripe[] stripes = new Stripe[STRIPES];
    private final AtomicInteger size = new AtomicInteger();
    private final LongAdder unmeasured = new LongAdder();

    /** Creates an empty table for the only process that admits items of its tenants. */
    public RateTable(int maxTenants) {
        this(maxTenants, new ProportionalRates());
    }

    /**
     * Creates an empty table for one of several processes that admit items of the same tenants.
     *
     * @param maxTenants maximum number of states, 1 or more
     * @param shares     this process's share of each limit
     */
    public RateTable(int maxTenants, ProportionalRates shares) {
        if (maxTenants < 1) {
            throw new IllegalArgumentException("maxTenants = " + maxTenants + ": must be 1 or more");
        }
        this.maxTenants = maxTenants;
        this.shares = shares;
        Arrays.setAll(stripes, i -> new Stripe());
    }

    /** Counts one item of a tenant and returns whether it is within the limit, which holds over all processes. */
    public boolean admit(TenantContext tenant, RateLimit limit, long nowNanos) {
        return take(tenant, shares.limit(tenant.name(), limit), nowNanos) > 0;
    }

    /** Counts one item as {@link #admit} does and returns the tenant's state as well. */
    public RateDecision read(TenantContext tenant, RateLimit limit, long nowNanos) {
        RateLimit here = shares.limit(tenant.name(), limit);
        long state = take(tenant, here, nowNanos);
        return new RateDecision(state > 0, here, Math.max(0, Math.abs(state) - nowNanos));
    }

    /** Counts an urgent item, beside all others, and returns whether it is within the limit of this process. */
    public boolean admitUrgent(TenantContext tenant, RateLimit limit, long nowNanos) {
        return take(TenantHash.mix(tenant.hash()), limit, nowNanos) > 0;
    }

    private long take(TenantContext tenant, RateLimit here, long nowNanos) {
        return take(tenant.hash(), here, nowNanos);
    }

    private long take(long hash, RateLimit here, long nowNanos) {
        return stripes[(int) (hash >>> 58)].take(hash, here, nowNanos);
    }

    /** Removes the states that are equal to no state. To be called about once a minute. */
    public void prune(long nowNanos) {
        for (Stripe stripe : stripes) {
            stripe.prune(nowNanos);
        }
    }

    /** Returns the number of states. */
    public int size() {
        return size.get();
    }

    /** Returns the number of items admitted unmeasured since the start, because the table was full. */
    public long unmeasured() {
        return unmeasured.sum();
    }

    /** Part of the table, with its own lock. */
    private final class Stripe {
        private long[] slots = new long[LinearProbing.FIRST_LENGTH];
        private int used;

        /** Returns the state after this item; for a rejected one the unchanged state negated, which is below 0. */
        synchronized long take(long hash, RateLimit limit, long nowNanos) {
            int slot = LinearProbing.find(slots, hash);
            if (slots[slot] == 0) {
                if (size.get() >= maxTenants) {
                    unmeasured.increment();
                    return nowNanos;
                }
                slot = insert(slot, hash);
            }
            // A state that this limit cannot have produced is reduced to an empty bucket. Without that, a tenant with a
            // low rate and a long burst would be rejected for hours after its rate was raised, and every tenant after a
            // fast clock is corrected.
            long fullNanos = nowNanos + limit.toleranceNanos();
            long before = slots[slot + 1] > fullNanos + MAX_SKEW_NANOS ? fullNanos : slots[slot + 1];
            long after = limit.next(before, nowNanos);
            slots[slot + 1] = after == RateLimit.REFUSED ? before : after;
            return after == RateLimit.REFUSED ? -before : after;
        }

        synchronized void prune(long nowNanos) {
            long[] old = slots;
            int keep = 0;
            for (int slot = 0; slot < old.length; slot += 2) {
                if (old[slot] != 0 && old[slot + 1] > nowNanos) {
                    keep++;
                }
            }
            if (keep == used) {
                return;
            }
            size.addAndGet(keep - used);
            used = keep;
            slots = LinearProbing.rehash(old, LinearProbing.lengthFor(keep), state -> state > nowNanos);
        }

        private int insert(int free, long hash) {
            size.incrementAndGet();
            used++;
            if (LinearProbing.lengthFor(used) <= slots.length) {
                slots[free] = hash;
                return free;
            }
            slots = LinearProbing.rehash(slots, LinearProbing.lengthFor(used), state -> true);
            int slot = LinearProbing.find(slots, hash);
            slots[slot] = hash;
            return slot;
        }
    }
}
