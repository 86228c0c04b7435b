package io.spillway.core.sharding;

import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * Counts of tenant pairs by the number of slots they share: over all pairs, in T²k²/2n steps for T tenants with k of n
 * slots, or over a sample.
 *
 * <p>Owner: one thread. Bound: the shards given to it and two numbers a tenant.
 */
public final class OverlapCensus {
    private final int[][] shards;
    private final int[][] tenantsOf;
    private final int[] filled;
    private final int[] common;
    private final int[] touched;
    private final long[] pairs;
    private int done;

    /**
     * Prepares the count over all pairs.
     *
     * @param slots  n, above each slot
     * @param shards each tenant's slots in ascending order; not copied, not changed
     */
    public OverlapCensus(int slots, int[][] shards) {
        this.shards = shards;
        int[] loads = new int[slots];
        int largest = 0;
        for (int[] shard : shards) {
            largest = Math.max(largest, shard.length);
            for (int slot : shard) {
                loads[slot]++;
            }
        }
        tenantsOf = new int[slots][];
        Arrays.setAll(tenantsOf, slot -> new int[loads[slot]]);
        filled = new int[slots];
        common = new int[shards.length];
        touched = new int[shards.length];
        pairs = new long[largest + 1];
    }

    /** Returns the approximate number of steps to count all pairs. */
    public static double steps(long tenants, int perTenant, int slots) {
        return 0.5 * tenants * tenants * perTenant * perTenant / slots;
    }

    /** Compares the next tenant with all before it. Returns false when there is none. */
    public boolean countNext() {
        if (done == shards.length) {
            return false;
        }
        int count = 0;
        for (int slot : shards[done]) {
            int[] before = tenantsOf[slot];
            for (int i = 0; i < filled[slot]; i++) {
                if (common[before[i]]++ == 0) {
                    touched[count++] = before[i];
                }
            }
            before[filled[slot]++] = done;
        }
        for (int i = 0; i < count; i++) {
            pairs[common[touched[i]]]++;
            common[touched[i]] = 0;
        }
        pairs[0] += done++ - count;
        return true;
    }

    /** Returns the number of tenants compared so far. */
    public int done() {
        return done;
    }

    /** Returns the pairs so far by the number of shared slots, from 0 to the size of the largest shard. */
    public long[] pairs() {
        return pairs.clone();
    }

    /**
     * Counts this number of random pairs of two different tenants, with a result as of {@link #pairs}; of 2 shards or
     * more, as in the constructor.
     */
    public static long[] sampled(int[][] shards, int sample, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        long[] counts = new long[Arrays.stream(shards).mapToInt(shard -> shard.length).max().orElse(0) + 1];
        for (int i = 0; i < sample; i++) {
            int first = random.nextInt(shards.length);
            int second = random.nextInt(shards.length - 1);
            counts[overlap(shards[first], shards[second < first ? second : second + 1])]++;
        }
        return counts;
    }

    /** Returns how many numbers two ascending arrays have in common. */
    static int overlap(int[] first, int[] second) {
        int common = 0;
        for (int i = 0, j = 0; i < first.length && j < second.length; ) {
            int difference = first[i] - second[j];
            common += difference == 0 ? 1 : 0;
            i += difference <= 0 ? 1 : 0;
            j += difference >= 0 ? 1 : 0;
        }
        return common;
    }
}
