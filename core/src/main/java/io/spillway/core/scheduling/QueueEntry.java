package io.spillway.core.scheduling;

/** A waiting item, linked into its tenant's queue, which owns the links. */
final class QueueEntry<T> {
    final T item;
    final int moves;
    QueueEntry<T> before;
    QueueEntry<T> after;

    QueueEntry(T item, int moves) {
        this.item = item;
        this.moves = moves;
    }
}
