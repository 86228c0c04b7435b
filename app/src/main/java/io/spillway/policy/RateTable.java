package io.spillway.policy;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/**
 * The rate limiter of one process: one {@link Gcra} state a tenant, shared by its threads.
 *
 * <p>Owner: the table itself; threads meet only in a compare-and-set on one tenant's number. It is not kept over a
 * restart, which costs a tenant one burst more.
 *
 * <p>Bound: {@code maxTenants} states (about 100 bytes each). A state whose time has passed says the same as no state,
 * so {@link #prune} removes it. When the table is full of states still in force, items of further tenants are
 * admitted unmeasured and counted in {@link #unmeasured}: the worker's fair dispatch still contains them.
 */
public final class RateTable {
    /** How far the threads' ideas of now may lie apart; a state further ahead than that was left by something else. */
    private static final long MAX_SKEW_NANOS = 1_000_000_000;

    private final int maxTenants;
    private final ConcurrentHashMap<String, AtomicLong> theoreticalArrivalNanos = new ConcurrentHashMap<>();
    private final LongAdder unmeasured = new LongAdder();

    /**
     * Makes an empty table.
     *
     * @param maxTenants most tenants with a state at one time, 1 or more
     */
    public RateTable(int maxTenants) {
        if (maxTenants < 1) {
            throw new IllegalArgumentException("maxTenants = " + maxTenants + ": must be 1 or more");
        }
        this.maxTenants = maxTenants;
    }

    /**
     * Takes one item of a tenant and says whether it is within the limit.
     *
     * @param tenant   not null
     * @param limit    the tenant's limit, not null
     * @param nowNanos now on one clock for all calls, nanoseconds since 1970, above 0
     */
    public boolean admit(String tenant, RateLimit limit, long nowNanos) {
        AtomicLong state = theoreticalArrivalNanos.get(tenant);
        if (state == null) {
            if (theoreticalArrivalNanos.size() >= maxTenants) {
                unmeasured.increment();
                return true;
            }
            state = theoreticalArrivalNanos.computeIfAbsent(tenant, absent -> new AtomicLong());
        }
        while (true) {
            long before = state.get();
            long after = Gcra.next(before, nowNanos, limit);
            if (after != Gcra.REFUSED) {
                if (state.compareAndSet(before, after)) {
                    return true;
                }
            } else if (!forgiveDebt(state, before, nowNanos + limit.toleranceNanos())) {
                return false;
            }
        }
    }

    /**
     * Takes back a state that this limit could not have made, to that of a bucket just filled. Otherwise a tenant
     * that used up a long burst at a low rate would be refused for hours after its rate was raised, and every tenant
     * after a clock that was ahead is set right.
     *
     * @return whether the state may be another now, so that the item is to be judged again
     */
    private static boolean forgiveDebt(AtomicLong state, long before, long fullNanos) {
        if (before <= fullNanos + MAX_SKEW_NANOS) {
            return false;
        }
        state.compareAndSet(before, fullNanos);
        return true;
    }

    /**
     * Forgets the tenants whose state says nothing any more. Call it every minute or so. An item that is admitted on
     * a state in the moment of its removal is forgotten with it: one item more, once.
     *
     * @param nowNanos as in {@link #admit}
     */
    public void prune(long nowNanos) {
        theoreticalArrivalNanos.values().removeIf(state -> state.get() <= nowNanos);
    }

    /** Tenants with a state now. */
    public int size() {
        return theoreticalArrivalNanos.size();
    }

    /** Items admitted since the start without being measured, because the table was full. */
    public long unmeasured() {
        return unmeasured.sum();
    }
}
