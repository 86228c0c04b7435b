package io.spillway.sim;

import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.Queue;

/**
 * Elements by due time; those of the same time in insertion order.
 *
 * <p>Owner: its creator. Bound: its owner's.
 */
final class TimedQueue<T> {
    private final Queue<Entry<T>> entries =
            new PriorityQueue<>(Comparator.<Entry<T>>comparingLong(Entry::time).thenComparingLong(Entry::number));
    private long added;

    private record Entry<T>(long time, long number, T element) {}

    boolean isEmpty() {
        return entries.isEmpty();
    }

    /** Returns the due time of the first element; the queue must not be empty. */
    long firstTime() {
        return entries.element().time();
    }

    /** Returns the first element; the queue must not be empty. */
    T first() {
        return entries.element().element();
    }

    void add(long time, T element) {
        entries.add(new Entry<>(time, added++, element));
    }

    /** Removes the first element; the queue must not be empty. */
    T remove() {
        return entries.remove().element();
    }
}
