package io.spillway.core.sharding;

import java.util.Arrays;

/** Slots of one tenant, in ascending order. Immutable; equal to another shard with the same slots. */
public final class Shard {
    /** Maximum number of slots of an assigned shard. */
    public static final int MAX_SIZE = 16;

    private final int[] slots;

    private Shard(int[] slots) {
        this.slots = slots;
    }

    /** Returns a shard of these slots: 1 to {@link #MAX_SIZE} different numbers of 0 or more, in any order; copied. */
    public static Shard of(int... slots) {
        int[] sorted = slots.clone();
        Arrays.sort(sorted);
        if (sorted.length < 1 || sorted.length > MAX_SIZE) {
            throw new IllegalArgumentException("a shard of " + sorted.length + " slots: must be from 1 to " + MAX_SIZE);
        }
        for (int i = 0; i < sorted.length; i++) {
            if (sorted[i] < 0 || i > 0 && sorted[i] == sorted[i - 1]) {
                throw new IllegalArgumentException(
                        "slots " + Arrays.toString(sorted) + ": must be different and 0 or more");
            }
        }
        return new Shard(sorted);
    }

    /** Returns the number of slots. */
    public int size() {
        return slots.length;
    }

    /** Returns the slot of an index from 0 to size − 1, in ascending order of the slots. */
    public int slot(int i) {
        return slots[i];
    }

    /** Returns a copy of the slots, in ascending order. */
    public int[] toArray() {
        return slots.clone();
    }

    /** Returns how many slots it shares with another shard. */
    public int overlap(Shard other) {
        return OverlapCensus.overlap(slots, other.slots);
    }

    /** Returns the slots. Not copied: callers must not change them. */
    int[] slots() {
        return slots;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Shard shard && Arrays.equals(slots, shard.slots);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(slots);
    }

    @Override
    public String toString() {
        return Arrays.toString(slots);
    }
}
