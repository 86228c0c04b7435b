package io.spillway.policy;

/** A waiting item, linked into its tenant's queue, which owns the links. */
final class Waiting<T> {
    final T item;
    final int bytes;
    final int moves;
    Waiting<T> before;
    Waiting<T> after;

    Waiting(T item, int bytes, int moves) {
        this.item = item;
        this.bytes = bytes;
        this.moves = moves;
    }
}
