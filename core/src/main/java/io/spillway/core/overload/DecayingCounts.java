package io.spillway.core.overload;

import io.spillway.core.hashing.LinearProbing;
import java.util.Arrays;

/**
 * Recent items of each tenant in hot: counts with a half-life of {@value #HALF_LIFE_MILLIS} ms, so the count of a
 * tenant with a steady rate is {@value #MEMORY_SECONDS} s of it. Hash and count share one array
 * ({@link LinearProbing}).
 *
 * <p>Owner: each {@link Stripe} owns its array under its own lock. Bound: {@link #MAX_TENANTS} tenants of 32 to 64
 * bytes. A full stripe halves its counts early and removes those near 0, so heavy tenants stay (Misra and Gries,
 * Finding repeated elements, 1982). A tenant that gets no slot is admitted uncounted.
 */
final class DecayingCounts {
    /** Count of one item at weight 1: precise enough for a weight of 1,000 and for 20 halvings. */
    static final long UNIT = 1 << 20;
    static final long NO_LIMIT = Long.MAX_VALUE;
    static final long HALF_LIFE_MILLIS = 250;
    /** Half-life divided by ln 2. */
    static final double MEMORY_SECONDS = 0.3607;
    static final int MAX_TENANTS = 16_384;

    private static final int STRIPES = 64;
    private static final int MAX_OF_STRIPE = MAX_TENANTS / STRIPES;

    private final Stripe[] stripes = new Stripe[STRIPES];

    DecayingCounts() {
        Arrays.setAll(stripes, i -> new Stripe());
    }

    /**
     * Counts an item, and returns true, unless the tenant's count would exceed the limit.
     *
     * @param hash   of the tenant's name, not 0
     * @param weight of the tenant, above 0; an item counts {@link #UNIT} divided by it
     * @param limit  in {@link #UNIT}s, or {@link #NO_LIMIT}
     * @param most   maximum of the count: what is admitted beyond it is forgotten, so that a burst before a limit is
     *               enforced does not keep the tenant out for long
     */
    boolean add(long hash, double weight, long limit, long most) {
        long units = weight == 1 ? UNIT : Math.max(1, (long) (UNIT / weight));
        return stripes[(int) (hash >>> 58)].add(hash, units, limit, most);
    }

    /** Decays all counts by the time since the last call, 0 or more; for one thread. */
    void decay(long millis) {
        double factor = Math.pow(0.5, (double) millis / HALF_LIFE_MILLIS);
        for (Stripe stripe : stripes) {
            stripe.decay(factor);
        }
    }

    /** Copies all counts, unordered, to an array of length {@link #MAX_TENANTS}, and returns their number. */
    int copy(long[] into) {
        int count = 0;
        for (Stripe stripe : stripes) {
            count = stripe.copy(into, count);
        }
        return count;
    }

    /** Part of the table, with its own lock. */
    private static final class Stripe {
        private long[] slots = new long[LinearProbing.FIRST_LENGTH];
        private int used;
        private int uncounted;

        synchronized boolean add(long hash, long units, long limit, long most) {
            int slot = LinearProbing.find(slots, hash);
            long after = slots[slot + 1] + units;
            if (after > limit) {
                return false;
            }
            if (slots[slot] == 0) {
                if (used == MAX_OF_STRIPE && !tryMakeRoom()) {
                    return true;
                }
                used++;
                if (LinearProbing.lengthFor(used) > slots.length) {
                    rehash();
                }
                slot = LinearProbing.find(slots, hash);
                slots[slot] = hash;
            }
            slots[slot + 1] = Math.min(after, most);
            return true;
        }

        /**
         * A pass over the stripe costs as much as dozens of items, so it runs once for a quarter of the stripe's size.
         */
        private boolean tryMakeRoom() {
            if (++uncounted < MAX_OF_STRIPE / 4) {
                return false;
            }
            uncounted = 0;
            decay(0.5);
            return used < MAX_OF_STRIPE;
        }

        /** Multiplies all counts and removes tenants whose count becomes 0. */
        synchronized void decay(double factor) {
            int forgotten = 0;
            for (int slot = 0; slot < slots.length && used > 0; slot += 2) {
                slots[slot + 1] = (long) (slots[slot + 1] * factor);
                forgotten += slots[slot] != 0 && slots[slot + 1] == 0 ? 1 : 0;
            }
            if (forgotten > 0) {
                used -= forgotten;
                rehash();
            }
        }

        /** Copies the counts above 0 to an array that fits them. */
        private void rehash() {
            slots = LinearProbing.rehash(slots, LinearProbing.lengthFor(used), count -> count > 0);
        }

        synchronized int copy(long[] into, int from) {
            int count = from;
            for (int slot = 0; slot < slots.length; slot += 2) {
                if (slots[slot] != 0) {
                    into[count++] = slots[slot + 1];
                }
            }
            return count;
        }
    }
}
