package io.spillway.core.hashing;

/**
 * 64-bit hash of a tenant's name, the same in every process and version. Shards are derived from it, so changing it
 * would move every tenant; a test pins its values.
 *
 * <p>It is not cryptographic: with the seed, anyone can search for a name with a given shard or place in a table. A
 * seed may be any number; keep it secret from anyone who can choose tenant names.
 */
public final class TenantHash {
    /** 2⁶⁴ over the golden ratio, odd: the increment of SplitMix64. */
    public static final long GOLDEN_RATIO = 0x9E3779B97F4A7C15L;

    private TenantHash() {}

    /** Returns the hash of a tenant. */
    public static long of(String tenant, long seed) {
        return mix(absorb(mix(seed + GOLDEN_RATIO), tenant));
    }

    /**
     * Returns {@link #of(String, long)}, but never 0, which marks a free slot in tables. Among a million tenants, the
     * probability that two share a hash is 3 in 100 million.
     */
    public static long key(String tenant, long seed) {
        long hash = of(tenant, seed);
        return hash == 0 ? GOLDEN_RATIO : hash;
    }

    /**
     * Returns the hash of a workload, which may be empty. Two different pairs cannot give the same input: no name
     * contains the separator.
     */
    public static long of(String tenant, String workload, long seed) {
        return mix(absorb(absorb(mix(seed + GOLDEN_RATIO), tenant) * GOLDEN_RATIO, workload));
    }

    /**
     * Applies the finalizer of SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014).
     */
    public static long mix(long value) {
        long mixed = (value ^ value >>> 30) * 0xBF58476D1CE4E5B9L;
        mixed = (mixed ^ mixed >>> 27) * 0x94D049BB133111EBL;
        return mixed ^ mixed >>> 31;
    }

    private static long absorb(long state, String text) {
        long hash = state;
        for (int i = 0; i < text.length(); i++) {
            hash = (hash ^ text.charAt(i)) * GOLDEN_RATIO;
            hash ^= hash >>> 29;
        }
        return hash;
    }
}
