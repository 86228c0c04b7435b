package io.spillway.kafka.topics;

import io.spillway.core.settings.AllowedRange;
import io.spillway.core.settings.InvalidSettingException;
import io.spillway.core.settings.Setting;
import io.spillway.core.sharding.PolynomialShards;
import io.spillway.core.sharding.ShuffleSharder;
import io.spillway.core.sharding.VirtualSlots;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Partition selection: which partitions of a lane each tenant uses. Must be equal in all routers and workers, and in
 * all producers that select partitions by tenant.
 */
public record ShardSettings(
        @Setting(key = "shards.seed", defaultValue = "0",
                doc = "Seed of the hash that selects shards. Keep it from people who can choose tenant names.")
                long seed,
        @Setting(key = "shards.slots", defaultValue = "0", allowed = "0 to " + ShuffleSharder.MAX_SLOTS,
                doc = "Number of virtual slots that shards consist of: at least the number of partitions. 0: as many"
                        + " as partitions.")
                int slots,
        @Setting(key = "shards.table", defaultNote = "slot s on partition s mod partitions",
                doc = "Partition of each slot, with commas between.") List<Integer> table,
        @Setting(key = "shards.overlap", defaultValue = "none", allowed = "none, or 0 to shards.largest - 1",
                doc = "Maximum number of slots that any two tenants share. The router then stores a number for each"
                        + " tenant, from which its shard follows. none: shards follow from the hash alone.")
                OptionalInt overlap,
        @Setting(key = "shards.largest", defaultValue = "4", allowed = "1 to " + PolynomialShards.MAX_ROWS,
                doc = "Size of the largest shard with shards.overlap, in slots. A tenant with a larger shardSize has"
                        + " this many.")
                int largest,
        @Setting(key = "shards.workloadShare", defaultValue = "0.5", allowed = "0.01 to 1.0",
                doc = "Share of a tenant's partitions that one named workload uses, rounded up; 1 for all of them.")
                double workloadShare,
        @Setting(key = "shards.stuckAfter", defaultValue = "10s", allowed = "1s to 1h",
                doc = "Time without progress after which a partition with work gets no new items, while the tenant has"
                        + " another one.")
                Duration stuckAfter) {
    public ShardSettings {
        table = List.copyOf(table);
        AllowedRange.check(ShardSettings.class, seed, slots, table, overlap, largest, workloadShare, stuckAfter);
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

    /**
     * Returns the shards of tenants with a number; empty without an overlap.
     *
     * @throws InvalidSettingException if the slots are too few for this number of partitions of each lane
     */
    public Optional<PolynomialShards> numbered(int partitions) {
        int slotCount = virtualSlots(partitions).slots();
        if (overlap.isEmpty()) {
            return Optional.empty();
        }
        int least = PolynomialShards.leastSlots(largest);
        if (slotCount < least) {
            throw new InvalidSettingException(
                    "shards.slots", slotCount + (slots == 0 ? " (as many as partitions)" : ""),
                    "must be at least " + least + " with shards.overlap and shards.largest = " + largest);
        }
        if (overlap.getAsInt() < 0 || overlap.getAsInt() >= largest) {
            throw new InvalidSettingException("shards.overlap", overlap.getAsInt(),
                    "must be 0 to " + (largest - 1) + " with shards.largest = " + largest);
        }
        return Optional.of(new PolynomialShards(slotCount, largest, overlap.getAsInt(), seed));
    }
}
