package io.spillway.core.item;

/**
 * A 64-bit hash of a tenant's name that is the same in every process and every version: shards follow from it, so to
 * change it would move every tenant. A test holds its values.
 *
 * <p>It is made to spread, not to withstand: who knows the seed can look for a name with a given shard.
 */
public final class TenantHash {
    /** 2⁶⁴ over the golden ratio, odd: the increment of SplitMix64. */
    public static final long GOLDEN_RATIO = 0x9E3779B97F4A7C15L;

    private TenantHash() {}

    /**
     * @param tenant not null
     * @param seed   any
     */
    public static long of(String tenant, long seed) {
        return mix(absorb(mix(seed + GOLDEN_RATIO), tenant));
    }

    /**
     * The same as of the String that these characters make, which need not be made for it.
     *
     * @param ascii  where the name is, not null
     * @param offset of its first character
     * @param length of the name, within the array
     * @param seed   any
     */
    public static long of(byte[] ascii, int offset, int length, long seed) {
        long hash = mix(seed + GOLDEN_RATIO);
        for (int i = offset; i < offset + length; i++) {
            hash = absorb(hash, (char) ascii[i]);
        }
        return mix(hash);
    }

    /**
     * As {@link #of(String, long)}, but never 0, which marks a free place in tables. Of a million tenants two share a hash
     * with a chance of 3 in 100 million.
     */
    public static long key(String tenant, long seed) {
        long hash = of(tenant, seed);
        return hash == 0 ? GOLDEN_RATIO : hash;
    }

    /**
     * The hash of a part of a tenant's work. The two names cannot run into each other: no name holds the character between.
     *
     * @param tenant   not null
     * @param workload not null, may be empty
     * @param seed     any
     */
    public static long of(String tenant, String workload, long seed) {
        return mix(absorb(absorb(mix(seed + GOLDEN_RATIO), tenant) * GOLDEN_RATIO, workload));
    }

    /** The finish of SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014). */
    public static long mix(long value) {
        long mixed = (value ^ value >>> 30) * 0xBF58476D1CE4E5B9L;
        mixed = (mixed ^ mixed >>> 27) * 0x94D049BB133111EBL;
        return mixed ^ mixed >>> 31;
    }

    private static long absorb(long state, String text) {
        long hash = state;
        for (int i = 0; i < text.length(); i++) {
            hash = absorb(hash, text.charAt(i));
        }
        return hash;
    }

    private static long absorb(long state, char next) {
        long hash = (state ^ next) * GOLDEN_RATIO;
        return hash ^ hash >>> 29;
    }
}
