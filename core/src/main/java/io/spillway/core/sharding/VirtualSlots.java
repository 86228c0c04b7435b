package io.spillway.core.sharding;

import java.util.Arrays;

/**
 * Table of the partition of each virtual slot. Shards are sets of slots, so a change of this table moves capacity from
 * one partition to another, and no tenant's shard changes. Immutable.
 */
public final class VirtualSlots {
    private final int[] partitionOf;
    private final int partitions;

    private VirtualSlots(int[] partitionOf, int partitions) {
        this.partitionOf = partitionOf;
        this.partitions = partitions;
    }

    /**
     * Slots by a table. A partition may be left without slots: nothing is put there any more.
     *
     * @param partitions how many there are, 1 to {@link ShuffleSharder#MAX_SLOTS}
     * @param table      the partition of each slot, 0 to partitions − 1; 1 to {@link ShuffleSharder#MAX_SLOTS} slots; copied
     * @throws IllegalArgumentException when a number is out of its range, with the slot in the message
     */
    public static VirtualSlots of(int partitions, int... table) {
        requirePartitions(partitions);
        if (table.length < 1 || table.length > ShuffleSharder.MAX_SLOTS) {
            throw new IllegalArgumentException(
                    "a table of " + table.length + " slots: must be from 1 to " + ShuffleSharder.MAX_SLOTS);
        }
        for (int slot = 0; slot < table.length; slot++) {
            if (table[slot] < 0 || table[slot] >= partitions) {
                throw new IllegalArgumentException("slot " + slot + " on partition " + table[slot] + ": must be from 0 to "
                        + (partitions - 1));
            }
        }
        return new VirtualSlots(table.clone(), partitions);
    }

    /**
     * Slot s on partition s mod p: with as many slots as partitions, each on its own.
     *
     * @param slots      partitions or more, at most {@link ShuffleSharder#MAX_SLOTS}
     * @param partitions 1 or more
     * @throws IllegalArgumentException when a number is out of its range
     */
    public static VirtualSlots spread(int slots, int partitions) {
        requirePartitions(partitions);
        if (slots < partitions || slots > ShuffleSharder.MAX_SLOTS) {
            throw new IllegalArgumentException("slots = " + slots + ": must be from " + partitions
                    + " (the partitions: one without a slot would have no work) to " + ShuffleSharder.MAX_SLOTS);
        }
        int[] table = new int[slots];
        Arrays.setAll(table, slot -> slot % partitions);
        return new VirtualSlots(table, partitions);
    }

    /** How many slots there are. */
    public int slots() {
        return partitionOf.length;
    }

    /** How many partitions there are. */
    public int partitions() {
        return partitions;
    }

    /**
     * The partition that a slot is.
     *
     * @param slot 0 to slots − 1
     */
    public int partition(int slot) {
        return partitionOf[slot];
    }

    /** Whether any two of these slots are on one partition. */
    boolean haveSharedPartition(int[] chosen, int count) {
        for (int i = 1; i < count; i++) {
            for (int j = 0; j < i; j++) {
                if (partitionOf[chosen[i]] == partitionOf[chosen[j]]) {
                    return true;
                }
            }
        }
        return false;
    }

    static void requirePartitions(int partitions) {
        if (partitions < 1 || partitions > ShuffleSharder.MAX_SLOTS) {
            throw new IllegalArgumentException(
                    "partitions = " + partitions + ": must be from 1 to " + ShuffleSharder.MAX_SLOTS);
        }
    }
}
