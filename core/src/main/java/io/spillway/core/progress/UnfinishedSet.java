package io.spillway.core.progress;

/**
 * Offsets that are added in ascending order and removed in any order, in a sorted array. An offset is appended in O(1),
 * and removed in O(log n) by a binary search that stores its complement. There is no boxing, and unlike in a bitmap the
 * span does not matter: one item may hang while millions pass. A full array is compacted, which is amortised O(1),
 * since at least half of it is free afterwards.
 *
 * <p>Owner: the {@link PartitionProgress} it is part of. Bound: none of its own; at most four elements per offset.
 */
final class UnfinishedSet {
    private static final int FIRST_CAPACITY = 64;

    private long[] entries = new long[FIRST_CAPACITY];
    private int head;
    private int tail;
    private int size;

    int size() {
        return size;
    }

    /** Returns the array's length, removed offsets included. */
    int capacity() {
        return entries.length;
    }

    /** Returns the lowest; the set must not be empty. */
    long first() {
        return entries[head];
    }

    /** Adds an offset above all that were added before. */
    void add(long offset) {
        if (tail == entries.length) {
            compact();
        }
        entries[tail++] = offset;
        size++;
    }

    boolean remove(long offset) {
        int index = indexOf(offset);
        if (index < 0) {
            return false;
        }
        entries[index] = ~offset;
        size--;
        while (head < tail && entries[head] < 0) {
            head++;
        }
        return true;
    }

    boolean contains(long offset) {
        return indexOf(offset) >= 0;
    }

    /** Returns the highest offset below a bound, or -1. */
    long highestBelow(long bound) {
        for (int i = tail - 1; i >= head; i--) {
            if (entries[i] >= 0 && entries[i] < bound) {
                return entries[i];
            }
        }
        return -1;
    }

    /** Copies all of them, ascending, to the first {@link #size} elements of an array. */
    void copyTo(long[] into) {
        int next = 0;
        for (int i = head; i < tail; i++) {
            if (entries[i] >= 0) {
                into[next++] = entries[i];
            }
        }
    }

    private int indexOf(long offset) {
        int low = head;
        int high = tail - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            long entry = entries[middle];
            long added = entry < 0 ? ~entry : entry;
            if (added == offset) {
                return entry < 0 ? -1 : middle;
            }
            if (added < offset) {
                low = middle + 1;
            } else {
                high = middle - 1;
            }
        }
        return -1;
    }

    private void compact() {
        long[] compacted = size > entries.length / 2 ? new long[entries.length * 2] : entries;
        copyTo(compacted);
        entries = compacted;
        head = 0;
        tail = size;
    }
}
