package io.spillway.core.progress;

/**
 * Offsets that are added in ascending order and removed in any order.
 *
 * <p>A sorted array: an offset is appended, and removed by a binary search and its complement in its place. That is
 * O(1) and O(log n) without boxes, and unlike a bitmap it does not care how far apart the first and the last are: one
 * item may hang while millions pass. Complements are swept out when the array is full, which is amortised O(1), since at
 * least half of it is free afterwards.
 *
 * <p>Owner: the {@link PartitionProgress} it is part of. Bound: none of its own; it holds four places an offset at most.
 */
final class UnfinishedSet {
    private static final int FIRST_CAPACITY = 64;

    private long[] places = new long[FIRST_CAPACITY];
    private int head;
    private int tail;
    private int size;

    int size() {
        return size;
    }

    /** Places held, those of removed offsets included. */
    int capacity() {
        return places.length;
    }

    /** The lowest; there is one. */
    long first() {
        return places[head];
    }

    /** Adds an offset above all that were added before. */
    void add(long offset) {
        if (tail == places.length) {
            sweep();
        }
        places[tail++] = offset;
        size++;
    }

    /** Removes an offset; false when it is not in the set. */
    boolean remove(long offset) {
        int place = placeOf(offset);
        if (place < 0) {
            return false;
        }
        places[place] = ~offset;
        size--;
        while (head < tail && places[head] < 0) {
            head++;
        }
        return true;
    }

    boolean contains(long offset) {
        return placeOf(offset) >= 0;
    }

    /** The highest offset below a bound, or -1. */
    long highestBelow(long bound) {
        for (int i = tail - 1; i >= head; i--) {
            if (places[i] >= 0 && places[i] < bound) {
                return places[i];
            }
        }
        return -1;
    }

    /** All of them, ascending, into the first {@link #size} places of an array. */
    void copyTo(long[] into) {
        int next = 0;
        for (int i = head; i < tail; i++) {
            if (places[i] >= 0) {
                into[next++] = places[i];
            }
        }
    }

    private int placeOf(long offset) {
        int low = head;
        int high = tail - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            long place = places[middle];
            long there = place < 0 ? ~place : place;
            if (there == offset) {
                return place < 0 ? -1 : middle;
            }
            if (there < offset) {
                low = middle + 1;
            } else {
                high = middle - 1;
            }
        }
        return -1;
    }

    private void sweep() {
        long[] swept = size > places.length / 2 ? new long[places.length * 2] : places;
        int next = 0;
        for (int i = head; i < tail; i++) {
            if (places[i] >= 0) {
                swept[next++] = places[i];
            }
        }
        places = swept;
        head = 0;
        tail = next;
    }
}
