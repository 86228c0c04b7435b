package io.spillway.core.sharding;

import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * Counts how many pairs of tenants share how many slots: all pairs by going over the tenants of each slot, which costs T²k²/2n steps for T
 * tenants with k of n slots, or a sample of pairs.
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
     * @param slots  n, above each slot
     * @param shards each tenant's slots in ascending order; not copied, not changed
     */
    public OverlapCensus(int slots, int[][] shards) {
        this.shards = shards;
        int[] loads = new int[slots];
        int most = 0;
        for (int[] shard : shards) {
            most = Math.max(most, shard.length);
            for (int slot : shard) {
                loads[slot]++;
            }
        }
        tenantsOf = new int[slots][];
        Arrays.setAll(tenantsOf, slot -> new int[loads[slot]]);
        filled = new int[slots];
        common = new int[shards.length];
        touched = new int[shards.length];
        pairs = new long[most + 1];
    }

    /** Steps that it takes to count all pairs, about. */
    public static double steps(long tenants, int perTenant, int slots) {
        return 0.5 * tenants * tenants * perTenant * perTenant / slots;
    }

    /** Compares one more tenant with all before it. False when there is none more. */
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

    /** Tenants compared with all before them so far. */
    public int done() {
        return done;
    }

    /** Pairs so far by the number of slots they share; from 0 to the size of the largest shard. */
    public long[] pairs() {
        return pairs.clone();
    }

    /**
     * Counts random pairs of two different tenants, in an array as {@link #pairs}.
     *
     * @param shards 2 or more, as in the constructor
     * @param sample how many pairs, 0 or more
     * @param seed   of the choice
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

    /** How many numbers two ascending arrays have in common. */
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
