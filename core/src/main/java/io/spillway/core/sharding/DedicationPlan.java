package io.spillway.core.sharding;

import io.spillway.core.item.Printable;
import io.spillway.core.item.TenantHash;
import java.util.Arrays;
import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Which partitions tenants get that are to have some of their own, from nothing but how many each is to have: every instance
 * comes to the same answer whatever it has seen before.
 *
 * <p>{@code leastShared} partitions always remain for all others: with fewer than twice a shard's size left, shards
 * hardly differ from one another, and with none there is nowhere to go.
 *
 * <p>Tenants choose in the order of their names, each the free partitions with the greatest hash of tenant and partition
 * (rendezvous hashing: Thaler and Ravishankar 1998). So when one more is isolated, another moves only if its partition was
 * taken by a tenant that chooses before it.
 *
 * @param dedication who has which partitions, not null
 * @param refused    what is wrong with the wishes that were not met, by tenant; unmodifiable, not null
 */
public record DedicationPlan(Dedication dedication, SortedMap<String, String> refused) {
    public DedicationPlan {
        refused = Collections.unmodifiableSortedMap(new TreeMap<>(refused));
    }

    /**
     * Plans.
     *
     * @param wanted      partitions of its own by tenant, each 1 or more; not null
     * @param partitions  as for {@link Dedication#none}
     * @param leastShared partitions that always remain for all others, 1 to partitions
     * @param seed        the same in all instances
     */
    public static DedicationPlan of(SortedMap<String, Integer> wanted, int partitions, int leastShared, long seed) {
        Dedication dedication = Dedication.none(partitions);
        SortedMap<String, String> refused = new TreeMap<>();
        for (Map.Entry<String, Integer> wish : wanted.entrySet()) {
            int spare = dedication.sharedPartitions() - leastShared;
            if (wish.getValue() > Math.min(spare, PartitionPlacement.MAX_PARTITIONS)) {
                refused.put(wish.getKey(), refusal(wish, partitions, leastShared, spare));
            } else {
                dedication = dedication.with(wish.getKey(), choose(dedication, wish.getKey(), wish.getValue(), seed));
            }
        }
        return new DedicationPlan(dedication, refused);
    }

    /** How many partitions all others keep at the least when nothing else is said: half of them, or the only one. */
    public static int leastShared(int partitions) {
        return (partitions + 1) / 2;
    }

    private static String refusal(Map.Entry<String, Integer> wish, int partitions, int leastShared, int spare) {
        int most = Math.min(spare, PartitionPlacement.MAX_PARTITIONS);
        return Printable.of(wish.getKey()) + ": " + wish.getValue() + " dedicated: "
                + (most < 1 ? "no partition can be spared" : "must be from 1 to " + most) + ": of " + partitions
                + " partitions " + leastShared + " must stay shared";
    }

    private static int[] choose(Dedication dedication, String tenant, int count, long seed) {
        int[] chosen = dedication.shared().clone();
        PartitionPlacement.selectFirst(TenantHash.of(tenant, seed), count, chosen, chosen.length);
        return Arrays.copyOf(chosen, count);
    }
}
