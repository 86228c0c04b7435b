package io.spillway.core.progress;

import java.util.Arrays;

/** Ascending offsets of one partition, without duplicates. Immutable, and without boxing. */
public final class OffsetList {
    /** No offsets. */
    public static final OffsetList EMPTY = new OffsetList(new long[0]);

    private final long[] offsets;

    private OffsetList(long[] offsets) {
        this.offsets = offsets;
    }

    /** Creates a list of offsets, each 0 or more and above the one before; copied. */
    public static OffsetList of(long... ascending) {
        return ofOwned(ascending.clone());
    }

    /** Creates a list that owns the array. */
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

    /** Returns one of the offsets, by an index from 0 to size − 1. */
    public long at(int index) {
        return offsets[index];
    }

    /** Returns the lowest; throws {@link IndexOutOfBoundsException} on an empty list. */
    public long first() {
        return offsets[0];
    }

    /** Returns the highest; throws {@link IndexOutOfBoundsException} on an empty list. */
    public long last() {
        return offsets[offsets.length - 1];
    }

    /** Returns whether the offset is in the list; O(log n). */
    public boolean contains(long offset) {
        return Arrays.binarySearch(offsets, offset) >= 0;
    }

    /** Returns a copy as an array. */
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

    /** Returns a short text for a log line, whatever the size. */
    @Override
    public String toString() {
        return switch (offsets.length) {
            case 0 -> "none";
            case 1 -> Long.toString(offsets[0]);
            default -> offsets.length + " from " + first() + " to " + last();
        };
    }
}
