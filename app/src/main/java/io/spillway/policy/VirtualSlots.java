package io.spillway.policy;

import java.util.Arrays;

/**
 * Which partition each slot is. Shards are of slots, so capacity moves from one partition to another by a change of this
 * table, and no tenant's shard changes. Immutable.
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

    /**
     * The table for another number of partitions in which as few slots as can be have moved, and no partition has more than
     * one slot more than another. Slots leave the fullest partitions, the last of their slots first.
     *
     * @param wanted how many partitions there are then, 1 to slots
     * @throws IllegalArgumentException when wanted is out of its range
     */
    public VirtualSlots rebalanced(int wanted) {
        if (wanted < 1 || wanted > partitionOf.length) {
            throw new IllegalArgumentException("partitions = " + wanted + ": must be from 1 to " + partitionOf.length
                    + " (the slots: one without a slot would have no work)");
        }
        int[] room = room(wanted);
        int[] table = partitionOf.clone();
        for (int slot = 0; slot < table.length; slot++) {
            table[slot] = table[slot] < wanted && room[table[slot]]-- > 0 ? table[slot] : -1;
        }
        int to = 0;
        for (int slot = 0; slot < table.length; slot++) {
            while (table[slot] < 0) {
                if (room[to] > 0) {
                    room[to]--;
                    table[slot] = to;
                } else {
                    to++;
                }
            }
        }
        return new VirtualSlots(table, wanted);
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

    /**
     * Partitions as a fault dimension: a {@link ShardBook} with it gives no tenant two slots on one partition. At most {@link
     * ShardBook#MAX_SLOTS} slots.
     */
    public FaultDimension asDimension() {
        return new FaultDimension("partition", partitionOf, 0, 1);
    }

    /** How many slots each partition may have; those with many slots now may have the one more, if it does not come out even. */
    private int[] room(int wanted) {
        int[] have = new int[wanted];
        for (int partition : partitionOf) {
            if (partition < wanted) {
                have[partition]++;
            }
        }
        int even = partitionOf.length / wanted;
        int[] room = new int[wanted];
        Arrays.fill(room, even);
        int more = partitionOf.length % wanted;
        for (int i = 0; i < wanted && more > 0; i++) {
            if (have[i] > even) {
                room[i]++;
                more--;
            }
        }
        for (int i = 0; i < wanted && more > 0; i++) {
            if (room[i] == even) {
                room[i]++;
                more--;
            }
        }
        return room;
    }

    private static void requirePartitions(int partitions) {
        if (partitions < 1 || partitions > ShuffleSharder.MAX_SLOTS) {
            throw new IllegalArgumentException(
                    "partitions = " + partitions + ": must be from 1 to " + ShuffleSharder.MAX_SLOTS);
        }
    }
}
