package io.spillway.core.ratelimit;

import io.spillway.core.item.LinearProbing;
import io.spillway.core.item.TenantHash;
import io.spillway.core.policy.RateLimit;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/**
 * The rate limiter of one process: one {@link Gcra} state a tenant, shared by its threads.
 *
 * <p>Tenants are known by their {@link TenantHash}, and hash and state lie side by side in arrays with linear probing:
 * with 100,000 tenants a look-up waits for memory once, where a map of objects made it wait five times. Two tenants of
 * the same hash share a bucket.
 *
 * <p>Owner: each {@link Stripe} owns its arrays under its own lock, which threads seldom contend for. The table is not
 * kept over a restart, which costs a tenant one burst more.
 *
 * <p>Bound: {@code maxTenants} states (32 to 64 bytes each). A state whose time has passed says the same as no state,
 * so {@link #prune} removes it. When the table is full of states still in force, items of further tenants are
 * admitted unmeasured and counted in {@link #unmeasured}: the worker's fair dispatch still contains them.
 */
public final class RateTable {
    /** How far the threads' ideas of now may lie apart; a state further ahead than that was left by something else. */
    private static final long MAX_SKEW_NANOS = 1_000_000_000;
    private static final int STRIPES = 64;

    private final int maxTenants;
    private final long seed;
    private final RateShares shares;
    private final Stripe[] stripes = new Stripe[STRIPES];
    private final AtomicInteger size = new AtomicInteger();
    private final LongAdder unmeasured = new LongAdder();

    /**
     * Makes an empty table.
     *
     * @param maxTenants most tenants with a state at one time, 1 or more
     * @param seed       of the hash; nobody who can name a tenant should know it
     */
    public RateTable(int maxTenants, long seed) {
        this(maxTenants, seed, new RateShares());
    }

    /**
     * As {@link #RateTable(int, long)}, where other processes admit the same tenants' items.
     *
     * @param shares what part of each limit is this process's
     */
    public RateTable(int maxTenants, long seed, RateShares shares) {
        if (maxTenants < 1) {
            throw new IllegalArgumentException("maxTenants = " + maxTenants + ": must be 1 or more");
        }
        this.maxTenants = maxTenants;
        this.seed = seed;
        this.shares = shares;
        Arrays.setAll(stripes, i -> new Stripe());
    }

    /** As {@link #RateTable(int, long)}, with a seed that everybody knows: for simulations and tests. */
    public RateTable(int maxTenants) {
        this(maxTenants, 0);
    }

    /**
     * Takes one item of a tenant and says whether it is within the limit.
     *
     * @param tenant   not null
     * @param limit    the tenant's limit over all processes, not null
     * @param nowNanos now on one clock for all calls, nanoseconds since 1970, above 0
     */
    public boolean admit(String tenant, RateLimit limit, long nowNanos) {
        return take(tenant, shares.limit(tenant, limit), nowNanos) > 0;
    }

    /**
     * As {@link #admit}, and says as well where the tenant stands: for whoever tells it to the caller.
     *
     * @param tenant   not null
     * @param limit    the tenant's limit over all processes, not null
     * @param nowNanos as in {@link #admit}
     */
    public RateDecision read(String tenant, RateLimit limit, long nowNanos) {
        RateLimit here = shares.limit(tenant, limit);
        long state = take(tenant, here, nowNanos);
        return new RateDecision(state > 0, here, Math.max(0, Math.abs(state) - nowNanos));
    }

    private long take(String tenant, RateLimit here, long nowNanos) {
        long hash = TenantHash.key(tenant, seed);
        return stripes[(int) (hash >>> 58)].take(hash, here, nowNanos);
    }

    /**
     * Forgets the tenants whose state says nothing any more. Call it every minute or so.
     *
     * @param nowNanos as in {@link #admit}
     */
    public void prune(long nowNanos) {
        for (Stripe stripe : stripes) {
            stripe.prune(nowNanos);
        }
    }

    /** Tenants with a state now. */
    public int size() {
        return size.get();
    }

    /** Items admitted since the start without being measured, because the table was full. */
    public long unmeasured() {
        return unmeasured.sum();
    }

    /** A part of the table: even places hold hashes, the place behind each its theoretical arrival time. */
    private final class Stripe {
        private long[] slots = new long[LinearProbing.FIRST_LENGTH];
        private int used;

        /** The state after this item; where it is refused the state as it was, and a minus before it: such a one is above 0. */
        synchronized long take(long hash, RateLimit limit, long nowNanos) {
            int at = LinearProbing.find(slots, hash);
            if (slots[at] == 0) {
                if (size.get() >= maxTenants) {
                    unmeasured.increment();
                    return nowNanos;
                }
                at = insert(at, hash);
            }
            // A state that this limit could not have made is taken back to a bucket just filled. Otherwise a tenant that
            // used up a long burst at a low rate would be refused for hours after its rate was raised, and every tenant
            // after a clock that was ahead is set right.
            long fullNanos = nowNanos + limit.toleranceNanos();
            long before = slots[at + 1] > fullNanos + MAX_SKEW_NANOS ? fullNanos : slots[at + 1];
            long after = Gcra.next(before, nowNanos, limit);
            slots[at + 1] = after == Gcra.REFUSED ? before : after;
            return after == Gcra.REFUSED ? -before : after;
        }

        synchronized void prune(long nowNanos) {
            long[] old = slots;
            int keep = 0;
            for (int at = 0; at < old.length; at += 2) {
                if (old[at] != 0 && old[at + 1] > nowNanos) {
                    keep++;
                }
            }
            if (keep == used) {
                return;
            }
            size.addAndGet(keep - used);
            used = keep;
            slots = new long[LinearProbing.lengthFor(keep)];
            for (int at = 0; at < old.length; at += 2) {
                if (old[at] != 0 && old[at + 1] > nowNanos) {
                    LinearProbing.copy(old, at, slots);
                }
            }
        }

        private int insert(int free, long hash) {
            size.incrementAndGet();
            used++;
            if (LinearProbing.lengthFor(used) <= slots.length) {
                slots[free] = hash;
                return free;
            }
            long[] old = slots;
            slots = new long[LinearProbing.lengthFor(used)];
            for (int at = 0; at < old.length; at += 2) {
                if (old[at] != 0) {
                    LinearProbing.copy(old, at, slots);
                }
            }
            int at = LinearProbing.find(slots, hash);
            slots[at] = hash;
            return at;
        }
    }
}
