package io.spillway.core.sharding;

import java.util.Arrays;

/**
 * Table of the partition of each virtual slot. Shards are sets of slots, so a change of this table moves capacity
 * between partitions without changing any shard. Immutable.
 */
public final class VirtualSlots {
    private final int[] partitionOf;
    private final int partitions;

    private VirtualSlots(int[] partitionOf, int partitions) {
        this.partitionOf = partitionOf;
        this.partitions = partitions;
    }

    /**
     * Returns slots with a given table. A partition without slots receives no items.
     *
     * @param partitions number of partitions, 1 to {@link ShuffleSharder#MAX_SLOTS}
     * @param table      partition of each slot, 0 to partitions − 1; 1 to {@link ShuffleSharder#MAX_SLOTS} slots;
     *                   copied
     */
    public static VirtualSlots of(int partitions, int... table) {
        requirePartitions(partitions);
        if (table.length < 1 || table.length > ShuffleSharder.MAX_SLOTS) {
            throw new IllegalArgumentException(
                    "a table of " + table.length + " slots: must be from 1 to " + ShuffleSharder.MAX_SLOTS);
        }
        for (int slot = 0; slot < table.length; slot++) {
            if (table[slot] < 0 || table[slot] >= partitions) {
                throw new IllegalArgumentException(
                        "slot " + slot + " on partition " + table[slot] + ": must be from 0 to " + (partitions - 1));
            }
        }
        return new VirtualSlots(table.clone(), partitions);
    }

    /** Returns slots with slot s on partition s mod p: p, 1 or more, to {@link ShuffleSharder#MAX_SLOTS} slots. */
    public static VirtualSlots spread(int slots, int partitions) {
        requirePartitions(partitions);
        if (slots < partitions || slots > ShuffleSharder.MAX_SLOTS) {
            throw new IllegalArgumentException("slots = " + slots + ": must be from " + partitions
                    + " (the number of partitions: each needs a slot) to " + ShuffleSharder.MAX_SLOTS);
        }
        int[] table = new int[slots];
        Arrays.setAll(table, slot -> slot % partitions);
        return new VirtualSlots(table, partitions);
    }

    /** Returns the number of slots. */
    public int slots() {
        return partitionOf.length;
    }

    /** Returns the number of partitions. */
    public int partitions() {
        return partitions;
    }

    /** Returns the partition of a slot, 0 to slots − 1. */
    public int partition(int slot) {
        return partitionOf[slot];
    }

    static void requirePartitions(int partitions) {
        if (partitions < 1 || partitions > ShuffleSharder.MAX_SLOTS) {
            throw new IllegalArgumentException(
                    "partitions = " + partitions + ": must be from 1 to " + ShuffleSharder.MAX_SLOTS);
        }
    }
}
