package io.spillway.core.overload;

import io.spillway.core.item.LinearProbing;
import io.spillway.core.item.TenantHash;
import io.spillway.core.ratelimit.RateTable;
import java.util.Arrays;

/**
 * What each tenant has put into hot lately: counts that halve every {@value #HALF_LIFE_MILLIS} ms, so that a tenant with a steady
 * rate has {@value #MEMORY_SECONDS} s of it.
 *
 * <p>Hash and count lie side by side in arrays with linear probing, as in {@link RateTable}, so an item costs one step in memory.
 *
 * <p>Owner: each {@link Stripe} owns its arrays under its own lock. Bound: {@link #MAX_TENANTS} tenants of 32 to 64 bytes. A full
 * stripe halves its counts before their time and forgets who has next to nothing left, so heavy tenants stay (as in
 * Misra and Gries, Finding repeated elements, 1982); a tenant that finds no place even so is let through uncounted.
 */
final class HotShares {
    /** Of one item of a tenant with the weight 1: fine enough for a weight of 1,000, and for what is left of an item after 20 halvings. */
    static final long UNIT = 1 << 20;
    static final long HALF_LIFE_MILLIS = 250;
    /** The half-life over the logarithm of 2. */
    static final double MEMORY_SECONDS = 0.3607;
    static final int MAX_TENANTS = 16_384;

    private static final int STRIPES = 64;
    private static final int MAX_OF_STRIPE = MAX_TENANTS / STRIPES;

    private final long seed;
    private final Stripe[] stripes = new Stripe[STRIPES];

    /**
     * Nobody has put anything into hot.
     *
     * @param seed of the hash; nobody who can name a tenant should know it
     */
    HotShares(long seed) {
        this.seed = seed;
        Arrays.setAll(stripes, i -> new Stripe());
    }

    /**
     * Counts an item, unless its tenant would then have more than the limit.
     *
     * @param tenant not null
     * @param weight of the tenant, above 0: the heavier it is the less an item counts
     * @param limit  in {@link #UNIT}s, or {@link OutlierThreshold#NOBODY}
     * @return whether it was within the limit
     */
    boolean add(String tenant, double weight, long limit) {
        long hash = TenantHash.key(tenant, seed);
        long units = weight == 1 ? UNIT : Math.max(1, (long) (UNIT / weight));
        return stripes[(int) (hash >>> 58)].add(hash, units, limit);
    }

    /**
     * Lets time pass; for one thread.
     *
     * @param millis since it was called last, 0 or more
     */
    void fade(long millis) {
        double factor = Math.pow(0.5, (double) millis / HALF_LIFE_MILLIS);
        for (Stripe stripe : stripes) {
            stripe.fade(factor);
        }
    }

    /**
     * Copies all counts, in no order.
     *
     * @param into {@link #MAX_TENANTS} long
     * @return how many there are
     */
    int copy(long[] into) {
        int count = 0;
        for (Stripe stripe : stripes) {
            count = stripe.copy(into, count);
        }
        return count;
    }

    /** Tenants that are counted now. */
    int size() {
        int size = 0;
        for (Stripe stripe : stripes) {
            size += stripe.used();
        }
        return size;
    }

    /** A part of the table: even places hold hashes, the place behind each its count. */
    private static final class Stripe {
        private long[] slots = new long[LinearProbing.FIRST_LENGTH];
        private int used;
        private int turnedAway;

        synchronized boolean add(long hash, long units, long limit) {
            int at = LinearProbing.find(slots, hash);
            long after = slots[at + 1] + units;
            if (after > limit) {
                return false;
            }
            if (slots[at] == 0) {
                if (used == MAX_OF_STRIPE && !makesRoom()) {
                    return true;
                }
                used++;
                if (LinearProbing.lengthFor(used) > slots.length) {
                    rehash();
                }
                at = LinearProbing.find(slots, hash);
                slots[at] = hash;
            }
            slots[at + 1] = after;
            return true;
        }

        /** A pass over the stripe costs as much as some dozens of items, so it waits until so many have come. */
        private boolean makesRoom() {
            if (++turnedAway < MAX_OF_STRIPE / 4) {
                return false;
            }
            turnedAway = 0;
            fade(0.5);
            return used < MAX_OF_STRIPE;
        }

        /** Forgets who has less left than a 2²⁰th of an item. */
        synchronized void fade(double factor) {
            int forgotten = 0;
            for (int at = 0; at < slots.length && used > 0; at += 2) {
                slots[at + 1] = (long) (slots[at + 1] * factor);
                forgotten += slots[at] != 0 && slots[at + 1] == 0 ? 1 : 0;
            }
            if (forgotten > 0) {
                used -= forgotten;
                rehash();
            }
        }

        /** Into arrays that fit the tenants used now; those without a count are left out. */
        private void rehash() {
            long[] old = slots;
            slots = new long[LinearProbing.lengthFor(used)];
            for (int at = 0; at < old.length; at += 2) {
                if (old[at + 1] > 0) {
                    LinearProbing.copy(old, at, slots);
                }
            }
        }

        synchronized int copy(long[] into, int from) {
            int count = from;
            for (int at = 0; at < slots.length; at += 2) {
                if (slots[at] != 0) {
                    into[count++] = slots[at + 1];
                }
            }
            return count;
        }

        synchronized int used() {
            return used;
        }
    }
}
