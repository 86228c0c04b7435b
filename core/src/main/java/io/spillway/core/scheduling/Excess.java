package io.spillway.core.scheduling;

/**
 * A waiting item that must make room: it has left the worker's buffers and is to be written to another lane, with one
 * move more than it came with.
 *
 * @param <T> the worker's item
 */
public sealed interface Excess<T> {
    /** The item, as it was offered. */
    T item();

    /**
     * Fresh work of others waits behind it in hot: to the overflow lane, due at once.
     *
     * @param item as it was offered
     */
    record ToOverflow<T>(T item) implements Excess<T> {}

    /**
     * Its tenant is held at its own cap while slots are idle: to the delay lane, until the tenant gets there.
     *
     * @param item      as it was offered
     * @param dueMillis milliseconds since 1970, from 1 second to 10 minutes after now
     */
    record ToDelay<T>(T item, long dueMillis) implements Excess<T> {}
}
