package io.spillway.kafka.topics;

import io.spillway.core.settings.AllowedRange;
import io.spillway.core.settings.InvalidSettingException;
import io.spillway.core.settings.Setting;
import io.spillway.core.sharding.ShardRegistry;
import io.spillway.core.sharding.ShuffleSharder;
import io.spillway.core.sharding.VirtualSlots;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;

/**
 * Partition selection: which partitions of a lane each tenant uses. Must be equal in all routers and in all producers
 * that select partitions by tenant.
 */
public record ShardSettings(
        @Setting(key = "shards.seed", defaultValue = "0",
                doc = "Seed of the hash that draws shards. Keep it from people who can choose tenant names.") long seed,
        @Setting(key = "shards.slots", defaultValue = "0", allowed = "0 to " + ShuffleSharder.MAX_SLOTS,
                doc = "Virtual slots that shards are made of: as many as partitions or more; 0 for as many.")
                int slots,
        @Setting(key = "shards.table", defaultNote = "slot s on partition s mod partitions",
                doc = "Partition of each slot, with commas between.") List<Integer> table,
        @Setting(key = "shards.overlap", defaultValue = "none", allowed = "none, or 0 to 14 (fewer with many slots)",
                doc = "Most slots that two tenants may share, checked for every pair and stored; none draws shards from"
                        + " the hash alone.") OptionalInt overlap,
        @Setting(key = "shards.workloadShare", defaultValue = "0.5", allowed = "0.01 to 1.0",
                doc = "Share of a tenant's partitions that one named workload uses, rounded up; 1 for all of them.")
                double workloadShare,
        @Setting(key = "shards.stuckAfter", defaultValue = "10s", allowed = "1s to 1h",
                doc = "A partition that has work and finishes nothing for this long gets no new items while the tenant"
                        + " has another.")
                Duration stuckAfter) {
    public ShardSettings {
        table = List.copyOf(table);
        AllowedRange.check(ShardSettings.class, seed, slots, table, overlap, workloadShare, stuckAfter);
        if (slots > 0 && !table.isEmpty() && table.size() != slots) {
            throw new InvalidSettingException(
                    "shards.table", table.size() + " slots", "must be of shards.slots = " + slots);
        }
    }

    /**
     * Returns the partition of each slot, for this number of partitions of each lane.
     *
     * @throws InvalidSettingException if the slots do not fit them
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

    /** @throws InvalidSettingException if the settings do not fit this number of partitions of each lane */
    void requireFit(int partitions) {
        int slotCount = virtualSlots(partitions).slots();
        if (overlap.isEmpty()) {
            return;
        }
        if (slotCount > ShardRegistry.MAX_SLOTS) {
            throw new InvalidSettingException(
                    "shards.slots", slotCount, "must be at most " + ShardRegistry.MAX_SLOTS + " with shards.overlap");
        }
        int most = ShardRegistry.mostOverlap(slotCount);
        if (overlap.getAsInt() < 0 || overlap.getAsInt() > most) {
            throw new InvalidSettingException("shards.overlap", overlap.getAsInt(), "must be 0 to " + most);
        }
    }
}
