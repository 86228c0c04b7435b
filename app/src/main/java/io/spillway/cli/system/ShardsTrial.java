package io.spillway.cli.system;

import io.spillway.core.sharding.OverlapCensus;
import java.util.Arrays;
import java.util.function.ObjIntConsumer;
import java.util.stream.IntStream;

/**
 * Shards of sample tenants, with the overlaps of all pairs.
 *
 * @param tenants number of tenants
 * @param pairs   pairs of tenants by the number of shared slots, from 0 to the slots of a tenant
 * @param loads   tenants of each slot, ascending
 */
record ShardsTrial(int tenants, long[] pairs, int[] loads) {
    /**
     * Counts the overlaps of this many tenants, 1 or more, with {@code size} slots each.
     *
     * @param shards writes the slots of a tenant with a number
     */
    static ShardsTrial of(int slots, int size, int tenants, ObjIntConsumer<int[]> shards) {
        int[][] chosen = new int[tenants][size];
        int[] loads = new int[slots];
        for (int tenant = 0; tenant < tenants; tenant++) {
            shards.accept(chosen[tenant], tenant);
            for (int slot : chosen[tenant]) {
                loads[slot]++;
            }
        }
        Arrays.sort(loads);
        return new ShardsTrial(tenants, OverlapCensus.pairs(slots, chosen), loads);
    }

    /** Returns the share of pairs with this many shared slots, 0 without pairs. */
    double share(int shared) {
        return pairs[shared] / Math.max(1, pairsInAll());
    }

    double pairsInAll() {
        return 0.5 * tenants * (tenants - 1);
    }

    /** Returns the most slots that two of the tenants share. */
    int largestOverlap() {
        return IntStream.range(0, pairs.length).filter(shared -> pairs[shared] > 0).max().orElse(0);
    }
}
