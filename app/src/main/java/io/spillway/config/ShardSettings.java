package io.spillway.config;

import io.spillway.policy.ShardBook;
import io.spillway.policy.ShuffleSharder;
import io.spillway.policy.VirtualSlots;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;

/**
 * Which partitions of a lane each tenant's items go to. All routers, and producers that place by tenant, must have the same.
 *
 * @param seed               of the hash that draws shards; who can name tenants should not know it
 * @param slots              virtual slots that shards are of, the partitions or more; 0 for as many as partitions
 * @param table              partition of each slot; empty for slot s on partition s mod partitions
 * @param overlap            most slots that two tenants may share; empty for stateless shards
 * @param workloadPartitions most partitions of one named workload, a part of its tenant's; 0 for all of its tenant's
 * @param stuckAfter         a partition that has work and finishes nothing for so long is avoided
 */
public record ShardSettings(
        long seed, int slots, List<Integer> table, OptionalInt overlap, int workloadPartitions, Duration stuckAfter) {
    public ShardSettings {
        table = List.copyOf(table);
        InvalidSettingException.requireRange("shards.slots", slots, 0, ShuffleSharder.MAX_SLOTS);
        InvalidSettingException.requireRange(
                "shards.workloadPartitions", workloadPartitions, 0, ShuffleSharder.MAX_SIZE);
        InvalidSettingException.requireRange("shards.stuckAfter", stuckAfter.toMillis(), 1_000, 3_600_000);
        if (slots > 0 && !table.isEmpty() && table.size() != slots) {
            throw new InvalidSettingException("shards.table", table.size() + " slots", "must be of shards.slots = " + slots);
        }
    }

    /**
     * The partition of each slot.
     *
     * @param partitions of each lane
     * @throws InvalidSettingException when the slots do not fit them
     */
    public VirtualSlots virtualSlots(int partitions) {
        try {
            return table.isEmpty()
                    ? VirtualSlots.spread(slots == 0 ? partitions : slots, partitions)
                    : VirtualSlots.of(partitions, table.stream().mapToInt(Integer::intValue).toArray());
        } catch (IllegalArgumentException e) {
            throw new InvalidSettingException(
                    table.isEmpty() ? "shards.slots" : "shards.table", table.isEmpty() ? slots : table, e.getMessage());
        }
    }

    /** Finds fault with settings that do not go with so many partitions. */
    void requireFit(int partitions) {
        int all = virtualSlots(partitions).slots();
        if (overlap.isPresent()) {
            if (all > ShardBook.MAX_SLOTS) {
                throw new InvalidSettingException("shards.slots", all, "must be at most " + ShardBook.MAX_SLOTS + " with shards.overlap");
            }
            InvalidSettingException.requireRange("shards.overlap", overlap.getAsInt(), 0, ShardBook.mostOverlap(all));
        }
    }
}
