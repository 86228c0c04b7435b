package io.spillway.core.item;

/**
 * Hashes and a number of each side by side in one array: even places hold hashes, 0 for a free one, the place behind each its number.
 * Linear probing, so that a look-up waits for memory once. The array's length is a power of two, and somewhere in it is a free place.
 */
public final class LinearProbing {
    /** Of an array for few. */
    public static final int FIRST_LENGTH = 16;

    private LinearProbing() {}

    /** Two longs an entry, half of the places free at the least: a power of two. */
    public static int lengthFor(int entries) {
        return Math.max(FIRST_LENGTH, Integer.highestOneBit(Math.max(1, 4 * entries - 1)) << 1);
    }

    /** Where the hash is, or the free place where it belongs. */
    public static int find(long[] slots, long hash) {
        int mask = slots.length - 1;
        int at = (int) (hash << 1) & mask;
        while (slots[at] != 0 && slots[at] != hash) {
            at = at + 2 & mask;
        }
        return at;
    }

    /** Copies the entry at a place to where it belongs in another array, which has room and not this hash. */
    public static void copy(long[] from, int at, long[] slots) {
        int to = find(slots, from[at]);
        slots[to] = from[at];
        slots[to + 1] = from[at + 1];
    }
}
