package io.spillway.core.scheduling;

/** Waiting items that take turns with those of other queues, and the queue's charge: of a tenant, or of a workload. */
abstract class TurnQueue<T> extends EntryQueue<T> {
    /** Slot-milliseconds per unit of weight, on the scale of its {@link Rounds}. */
    double chargedMillis;

    /** Round in which it is next served, and its position within that round. */
    long round;
    long turn;

    /** Position in a {@link TurnHeap}; -1 while it is in none. */
    int heapIndex = -1;

    /** Returns its weight relative to the queues that it takes turns with, above 0. */
    abstract double weight();

    final boolean isBefore(TurnQueue<?> other) {
        return round != other.round ? round < other.round : turn < other.turn;
    }
}
