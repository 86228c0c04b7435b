package io.spillway.core.scheduling;

/**
 * A waiting item that the scheduler has removed from its buffers to be written to another lane, with one move more than
 * it came with.
 */
public sealed interface Excess<T> {
    /** The item, as it was offered. */
    T item();

    /** Moves to the overflow lane, due at once: new items of other tenants wait behind it in hot. */
    record ToOverflow<T>(T item) implements Excess<T> {}

    /**
     * Moves to the delay lane until its tenant can run it, from 1 to 15 seconds after now, and up to 10 minutes
     * for an item that was moved before: the tenant is at its own cap while slots are idle.
     */
    record ToDelay<T>(T item, long dueMillis) implements Excess<T> {}
}
