package io.spillway.core.sharding;

import io.spillway.core.hashing.TenantHash;
import io.spillway.core.text.Printable;
import java.util.Arrays;
import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Assignment of dedicated partitions, computed from the requested numbers alone: every instance gets the same result.
 *
 * <p>{@code leastShared} partitions always remain for all other tenants. With fewer than twice a shard's size, shards
 * would hardly differ.
 *
 * <p>Tenants choose in the order of their names. Each takes the free partitions with the greatest hash of tenant and
 * partition (rendezvous hashing: Thaler and Ravishankar 1998). When a tenant is added, another one moves only if a
 * tenant before it took its partition.
 *
 * @param dedication the assigned partitions
 * @param refused    reason of each rejected request, by tenant; unmodifiable
 */
public record DedicationPlan(Dedication dedication, SortedMap<String, String> refused) {
    public DedicationPlan {
        refused = Collections.unmodifiableSortedMap(new TreeMap<>(refused));
    }

    /**
     * Computes the plan.
     *
     * @param requested   number of dedicated partitions by tenant, each 1 or more
     * @param partitions  as for {@link Dedication#none}
     * @param leastShared partitions that always remain for all others, 1 to partitions
     * @param seed        the same in all instances
     */
    public static DedicationPlan of(SortedMap<String, Integer> requested, int partitions, int leastShared, long seed) {
        Dedication dedication = Dedication.none(partitions);
        SortedMap<String, String> refused = new TreeMap<>();
        for (Map.Entry<String, Integer> request : requested.entrySet()) {
            String tenant = request.getKey();
            int count = request.getValue();
            int max = Math.min(dedication.sharedPartitions() - leastShared, PartitionPlacement.MAX_PARTITIONS);
            if (count > max) {
                refused.put(tenant, Printable.of(tenant) + ": dedicated = " + count + ": "
                        + (max < 1 ? "no partition is available" : "must be from 1 to " + max) + ", because "
                        + leastShared + " of " + partitions + " partitions must stay shared");
            } else {
                dedication = dedication.with(tenant, choose(dedication, tenant, count, seed));
            }
        }
        return new DedicationPlan(dedication, refused);
    }

    /** Returns the default number of partitions that stay shared: half of them, rounded up. */
    public static int leastShared(int partitions) {
        return (partitions + 1) / 2;
    }

    private static int[] choose(Dedication dedication, String tenant, int count, long seed) {
        int[] chosen = dedication.shared().clone();
        PartitionPlacement.selectFirst(TenantHash.of(tenant, seed), count, chosen, chosen.length);
        return Arrays.copyOf(chosen, count);
    }
}
