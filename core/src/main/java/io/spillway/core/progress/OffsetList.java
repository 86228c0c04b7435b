package io.spillway.core.progress;

import java.util.Arrays;

/** Offsets of one partition, ascending, without repeats. Immutable, and without a box for each number. */
public final class OffsetList {
    /** No offsets. */
    public static final OffsetList EMPTY = new OffsetList(new long[0]);

    private final long[] offsets;

    private OffsetList(long[] offsets) {
        this.offsets = offsets;
    }

    /**
     * Makes a list.
     *
     * @param ascending 0 or more each, every one above the one before; copied, not null
     * @throws IllegalArgumentException when they are not ascending or below 0
     */
    public static OffsetList of(long... ascending) {
        return ofOwned(ascending.clone());
    }

    /** As {@link #of}, but the array becomes the list's own. */
    static OffsetList ofOwned(long[] ascending) {
        long above = -1;
        for (long offset : ascending) {
            if (offset <= above) {
                throw new IllegalArgumentException("offset " + offset + " after " + above + ": must ascend from 0");
            }
            above = offset;
        }
        return ascending.length == 0 ? EMPTY : new OffsetList(ascending);
    }

    public int size() {
        return offsets.length;
    }

    public boolean isEmpty() {
        return offsets.length == 0;
    }

    /**
     * One of the offsets.
     *
     * @param index 0 to size − 1
     * @throws IndexOutOfBoundsException outside of that
     */
    public long at(int index) {
        return offsets[index];
    }

    /** The lowest; throws {@link IndexOutOfBoundsException} on an empty list. */
    public long first() {
        return offsets[0];
    }

    /** The highest; throws {@link IndexOutOfBoundsException} on an empty list. */
    public long last() {
        return offsets[offsets.length - 1];
    }

    /** Whether the offset is one of them; O(log n). */
    public boolean contains(long offset) {
        return Arrays.binarySearch(offsets, offset) >= 0;
    }

    /** A copy as an array. */
    public long[] toArray() {
        return offsets.clone();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof OffsetList list && Arrays.equals(offsets, list.offsets);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(offsets);
    }

    /** A few words for a log line, whatever the size. */
    @Override
    public String toString() {
        return switch (offsets.length) {
            case 0 -> "none";
            case 1 -> Long.toString(offsets[0]);
            default -> offsets.length + " from " + first() + " to " + last();
        };
    }
}
