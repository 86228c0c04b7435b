package io.spillway.core.sharding;

import io.spillway.core.item.TenantHash;

/**
 * Draws a tenant's shard, k of n slots, from its name and a seed alone: every one of the C(n,k) shards is as likely as
 * any other, and every process comes to the same one (MacCárthaigh, Workload isolation using shuffle sharding).
 *
 * <p><b>What moves.</b> The shard for n+1 slots is the shard for n, or has the new slot in the place of one of its own.
 * So when n grows to n', a tenant's shard changes with the chance 1 − C(n,k)/C(n',k), about k(n'−n)/n', and k(n'−n)/n' of its
 * slots are replaced on average, always by new ones. No uniform sharder can move less: a uniform shard of n' slots must hold
 * a new slot just that often. Slots are added and removed at the end. Likewise the shard of k+1 is that of k and one more.
 *
 * <p><b>How.</b> Let h₀, h₁, … be independent consistent hashes: h(n) is uniform in [0, n), and h(n+1) is h(n) or n. The
 * largest slot of a uniform shard is below x with the chance x(x−1)…(x−k+1) / n(n−1)…(n−k+1), which is that of k
 * independent numbers i + hᵢ(n−i). So the largest of those, M, is the largest slot, and the rest is a shard of k−1 of the
 * slots below M, drawn with h₀ … hₖ₋₂ in the same way; a hash below M need not be taken again, since it is what it was.
 * That is reservoir sampling (Vitter 1985, algorithm R) run backwards; the same step is in consistent choose-k of
 * github.com/github/rust-gems.
 *
 * <p>h(n) is the largest active index below n, where 0 is active and each index b is with the chance 1/(b+1), independently
 * (Lamping and Veach 2014, jump hash). They are drawn from above, by octaves [2ʳ, 2ʳ⁺¹), each of which has one with the
 * chance of a half: one random bit (Ertl 2024, JumpBackHash). So h takes a constant time whatever n is, a shard about
 * 2k of them, and k² comparisons.
 *
 * <p>Immutable; for any number of threads.
 *
 * @param slots n, 1 to {@link #MAX_SLOTS}
 * @param seed  of the hash, the same in all processes; who can name tenants should not know it
 */
public record ShuffleSharder(int slots, long seed) {
    /** Most slots. */
    public static final int MAX_SLOTS = 1 << 20;
    /** Most slots of one shard: k² comparisons are then some ten microseconds. */
    public static final int MAX_SIZE = 256;

    /** @throws IllegalArgumentException when slots is out of its range */
    public ShuffleSharder {
        if (slots < 1 || slots > MAX_SLOTS) {
            throw new IllegalArgumentException("slots = " + slots + ": must be from 1 to " + MAX_SLOTS);
        }
    }

    /**
     * The tenant's shard.
     *
     * @param tenant not null
     * @param size   k, 1 to the smaller of slots and {@link #MAX_SIZE}
     * @return its slots in ascending order, new for each call
     * @throws IllegalArgumentException when size is out of its range
     */
    public int[] shard(String tenant, int size) {
        int[] shard = new int[checkedSize(size)];
        draw(TenantHash.of(tenant, seed), slots, size, shard);
        return shard;
    }

    /**
     * Writes the tenant's shard, in ascending order, to where the caller wants it: nothing is allocated.
     *
     * @param tenant not null
     * @param size   as in {@link #shard}
     * @param into   not null, size or longer; what is behind is left alone
     */
    public void shard(String tenant, int size, int[] into) {
        draw(TenantHash.of(tenant, seed), slots, checkedSize(size), into);
    }

    /**
     * Draws k of n for any hash.
     *
     * @param hash well mixed
     * @param from n, at least size
     * @param size k
     * @param into size or longer: while drawing it holds what the hashes say in its first places, the slots found behind
     */
    static void draw(long hash, int from, int size, int[] into) {
        for (int i = 0; i < size; i++) {
            into[i] = i + consistent(word(hash, i), from - i);
        }
        for (int left = size; left > 0; left--) {
            int largest = into[0];
            for (int i = 1; i < left; i++) {
                largest = Math.max(largest, into[i]);
            }
            for (int i = 0; i < left - 1; i++) {
                if (into[i] == largest) {
                    into[i] = i + consistent(word(hash, i), largest - i);
                }
            }
            into[left - 1] = largest;
        }
    }

    /** A number in [0, bound) from 64 random bits, biased by less than bound/2⁶⁴ (Lemire 2019, without the rejection). */
    static int below(long random, int bound) {
        return (int) Math.unsignedMultiplyHigh(random, bound);
    }

    private int checkedSize(int size) {
        if (size < 1 || size > Math.min(slots, MAX_SIZE)) {
            throw new IllegalArgumentException("size = " + size + ": must be from 1 to " + Math.min(slots, MAX_SIZE)
                    + " with " + slots + " slots");
        }
        return size;
    }

    private static long word(long hash, int i) {
        return TenantHash.mix(hash + (i + 1) * TenantHash.GOLDEN_RATIO);
    }

    /** The largest active index below n; bit r of the word says whether octave r has any. */
    private static int consistent(long word, int n) {
        // Octaves that begin below n: those of the numbers up to n - 1, of as many bits.
        long octaves = word & (1L << 32 - Integer.numberOfLeadingZeros(n - 1)) - 1;
        while (octaves != 0) {
            int octave = 63 - Long.numberOfLeadingZeros(octaves);
            int start = 1 << octave;
            long random = TenantHash.mix(word ^ (octave + 1) * 0xD1B54A32D192ED03L);
            int active = start + (int) (random & start - 1);
            while (active >= n) {
                random = TenantHash.mix(random + TenantHash.GOLDEN_RATIO);
                active = below(random, active);
            }
            if (active >= start) {
                return active;
            }
            octaves ^= 1L << octave;
        }
        return 0;
    }
}
