package io.spillway.core.sharding;

import io.spillway.core.hashing.TenantHash;

/**
 * Random shard of a tenant, k of n slots, from its name and a seed alone: every one of the C(n,k) shards is equally
 * likely, and every process gets the same one (MacCárthaigh, Workload isolation using shuffle sharding).
 *
 * <p>Movement. The shard for n+1 slots is the shard for n, or has the new slot in place of one of its own. When n grows
 * to n', a shard changes with probability 1 − C(n,k)/C(n',k), about k(n'−n)/n', and k(n'−n)/n' of its slots are
 * replaced on average, always by new ones. That is the minimum for a uniform sharder. Slots are added and removed at
 * the end. Likewise the shard of k+1 is that of k plus one slot.
 *
 * <p>Algorithm. Let h₀, h₁, … be independent consistent hashes: h(n) is uniform in [0, n), and h(n+1) is h(n) or n. The
 * largest slot of a uniform shard is below x with probability x(x−1)…(x−k+1) / n(n−1)…(n−k+1), which is that of k
 * independent numbers i + hᵢ(n−i). So the largest of those, M, is the largest slot. The rest is a shard of k−1 of the
 * slots below M, drawn with h₀ … hₖ₋₂ in the same way; a hash below M keeps its value. This is reservoir sampling
 * (Vitter 1985, algorithm R) run backwards; consistent choose-k of github.com/github/rust-gems has the same step.
 *
 * <p>h(n) is the largest active index below n, where 0 is active and each index b is active with probability 1/(b+1),
 * independently (Lamping and Veach 2014, jump hash). They are drawn from above by octaves [2ʳ, 2ʳ⁺¹), each of which has
 * one with probability ½: one random bit (Ertl 2024, JumpBackHash). So h takes constant time, and a shard about 2k of
 * them and k² comparisons.
 *
 * <p>Immutable; thread-safe.
 *
 * @param slots n, 1 to {@link #MAX_SLOTS}
 * @param seed  of the hash, the same in all processes; keep it secret from anyone who can choose tenant names
 */
public record ShuffleSharder(int slots, long seed) {
    /** Maximum number of slots. */
    public static final int MAX_SLOTS = 1 << 20;
    /** Maximum slots of one shard: k² comparisons then take some ten microseconds. */
    public static final int MAX_SIZE = 256;

    /** @throws IllegalArgumentException when slots is out of its range */
    public ShuffleSharder {
        if (slots < 1 || slots > MAX_SLOTS) {
            throw new IllegalArgumentException("slots = " + slots + ": must be from 1 to " + MAX_SLOTS);
        }
    }

    /**
     * Returns the tenant's shard of k slots, 1 to the smaller of all slots and {@link #MAX_SIZE}, in ascending order,
     * in a new array.
     */
    public int[] shard(String tenant, int size) {
        int[] shard = new int[checkedSize(size)];
        draw(TenantHash.of(tenant, seed), slots, size, shard);
        return shard;
    }

    /**
     * Writes the tenant's shard as {@link #shard(String, int)} returns it, without allocation; later elements of the
     * array are not changed.
     */
    public void shard(String tenant, int size, int[] into) {
        draw(TenantHash.of(tenant, seed), slots, checkedSize(size), into);
    }

    /**
     * Returns the slot of a shard that a key of its tenant has, by rendezvous hashing: the slot with the largest hash.
     * It depends neither on the order of the shard nor on its other slots, so a slot that joins takes a share of the
     * keys, and of one that leaves only its own keys move.
     *
     * @param shard slots, each 0 or more
     * @param count length of the shard in the array, at least 1
     */
    public int slot(String tenant, String key, int[] shard, int count) {
        long hash = TenantHash.of(tenant, key, seed);
        int slot = shard[0];
        for (int i = 1; i < count; i++) {
            slot = word(hash, shard[i]) > word(hash, slot) ? shard[i] : slot;
        }
        return slot;
    }

    /**
     * Draws k of n for a well mixed hash.
     *
     * @param from n, at least size
     * @param into of length size or more; during the draw, hash values are followed by the slots found
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

    /**
     * Returns a number in [0, bound) from 64 random bits, biased by less than bound/2⁶⁴ (Lemire 2019, without
     * rejection).
     */
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

    /** Returns the largest active index below n; bit r of the word tells whether octave r has any. */
    private static int consistent(long word, int n) {
        // Octaves that start below n: one for each bit of n - 1.
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
