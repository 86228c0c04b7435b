package io.spillway.core.hashing;

import java.util.function.LongPredicate;

/**
 * Open-addressing table of 64-bit hashes, each with one number, in one array. Even indices hold hashes, 0 for a free
 * slot; the next index holds the number. A look-up costs one cache miss. The array's length is a power of two, and at
 * least one slot is free.
 */
public final class LinearProbing {
    /** Length of a new array. */
    public static final int FIRST_LENGTH = 16;

    private LinearProbing() {}

    /**
     * Returns the array length for a number of entries: a power of two, two longs an entry, at least half of the slots
     * free.
     */
    public static int lengthFor(int entries) {
        return Math.max(FIRST_LENGTH, Integer.highestOneBit(Math.max(1, 4 * entries - 1)) << 1);
    }

    /** Returns the index of the hash, or of the free slot where it belongs. */
    public static int find(long[] slots, long hash) {
        int mask = slots.length - 1;
        int slot = (int) (hash << 1) & mask;
        while (slots[slot] != 0 && slots[slot] != hash) {
            slot = slot + 2 & mask;
        }
        return slot;
    }

    /** Copies the entries whose number passes the filter to a new array of a sufficient length. */
    public static long[] rehash(long[] from, int length, LongPredicate filter) {
        long[] slots = new long[length];
        for (int slot = 0; slot < from.length; slot += 2) {
            if (from[slot] != 0 && filter.test(from[slot + 1])) {
                int to = find(slots, from[slot]);
                slots[to] = from[slot];
                slots[to + 1] = from[slot + 1];
            }
        }
        return slots;
    }
}
