package io.spillway.core.sharding;

import io.spillway.core.hashing.TenantHash;
import io.spillway.core.item.PoolName;
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
 * @param pools      pool of the workers that handle a dedicated partition, by its number; unmodifiable. Those without
 *                   one are of {@link PoolName#SHARED}
 */
public record DedicationPlan(
        Dedication dedication, SortedMap<String, String> refused, SortedMap<Integer, String> pools) {
    public DedicationPlan {
        refused = Collections.unmodifiableSortedMap(new TreeMap<>(refused));
        pools = Collections.unmodifiableSortedMap(new TreeMap<>(pools));
    }

    /**
     * Dedicated partitions that a tenant is to have.
     *
     * @param partitions number, 1 or more
     * @param pool       pool of the workers that handle them, not null
     */
    public record Request(int partitions, String pool) {}

    /**
     * Computes the plan.
     *
     * @param requested   requests by tenant
     * @param partitions  as for {@link Dedication#none}
     * @param leastShared partitions that always remain for all others, 1 to partitions
     * @param seed        the same in all instances
     */
    public static DedicationPlan of(SortedMap<String, Request> requested, int partitions, int leastShared, long seed) {
        Dedication dedication = Dedication.none(partitions);
        SortedMap<String, String> refused = new TreeMap<>();
        SortedMap<Integer, String> pools = new TreeMap<>();
        for (Map.Entry<String, Request> request : requested.entrySet()) {
            String tenant = request.getKey();
            int count = request.getValue().partitions();
            String pool = request.getValue().pool();
            int max = Math.min(dedication.sharedPartitions() - leastShared, PartitionPlacement.MAX_PARTITIONS);
            if (count > max) {
                refused.put(tenant, Printable.of(tenant) + ": dedicated = " + count + ": "
                        + (max < 1 ? "no partition is available" : "must be from 1 to " + max) + ", because "
                        + leastShared + " of " + partitions + " partitions must stay shared");
            } else {
                dedication = dedication.with(tenant, choose(dedication, tenant, count, seed));
                if (!pool.equals(PoolName.SHARED)) {
                    dedication.of(tenant).forEach(partition -> pools.put(partition, pool));
                }
            }
        }
        return new DedicationPlan(dedication, refused, pools);
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
