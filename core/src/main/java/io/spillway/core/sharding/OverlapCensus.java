package io.spillway.core.sharding;

import java.util.Arrays;

/** Counts of tenant pairs by the number of slots they share, in T²k²/2n steps for T tenants with k of n slots. */
public final class OverlapCensus {
    private OverlapCensus() {}

    /**
     * Returns the number of pairs that share 0, 1, … slots, up to the size of the largest shard.
     *
     * @param slots  n, above each slot
     * @param shards each tenant's slots, all different
     */
    public static long[] pairs(int slots, int[][] shards) {
        long[] pairs = new long[Arrays.stream(shards).mapToInt(shard -> shard.length).max().orElse(0) + 1];
        int[][] tenantsOf = new int[slots][1];
        int[] filled = new int[slots];
        int[] common = new int[shards.length];
        int[] touched = new int[shards.length];
        for (int tenant = 0; tenant < shards.length; tenant++) {
            int count = 0;
            for (int slot : shards[tenant]) {
                for (int i = 0; i < filled[slot]; i++) {
                    int before = tenantsOf[slot][i];
                    if (common[before]++ == 0) {
                        touched[count++] = before;
                    }
                }
                if (filled[slot] == tenantsOf[slot].length) {
                    tenantsOf[slot] = Arrays.copyOf(tenantsOf[slot], 2 * filled[slot]);
                }
                tenantsOf[slot][filled[slot]++] = tenant;
            }
            for (int i = 0; i < count; i++) {
                pairs[common[touched[i]]]++;
                common[touched[i]] = 0;
            }
            pairs[0] += tenant - count;
        }
        return pairs;
    }
}
