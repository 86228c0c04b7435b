package io.spillway.core.delay;

import io.spillway.core.retry.AttemptClasses;
import io.spillway.core.retry.RetryKey;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Items of one partition of the delay lane: timers by due time, and parked items by group.
 *
 * @param <R> a stored item
 */
public interface DelayStore<R> {
    /** Most timers taken at a time. */
    int MOST = 1_000;
    /** Most bytes taken at a time, but always one item. 1,000 of the largest would exceed the producer's buffer. */
    long MOST_BYTES = 8 * 1024 * 1024;

    /**
     * Parked item.
     *
     * @param endMillis end for which it was parked, epoch milliseconds
     * @param bytes     its size
     */
    record Parked<R>(R item, long endMillis, int bytes) {}

    /** Returns the fields of an item; empty for one that cannot be kept, because it is damaged or too large. */
    Optional<DelayedItem> read(R item, long nowMillis);

    /** Adds a timer, due at epoch milliseconds, 0 or more. */
    void addTimer(long dueMillis, R item);

    /** Removes and returns timers that are due, by due time: at most {@link #MOST} and about {@link #MOST_BYTES}. */
    List<R> takeDue(long nowMillis);

    /** Returns when the earliest timer is due, or an earlier time; {@link Long#MAX_VALUE} for none. */
    long nextDueMillis();

    /**
     * Parks an item in a group.
     *
     * @param attemptClass of {@link AttemptClasses}
     * @param endMillis    epoch milliseconds
     */
    void park(RetryKey group, int attemptClass, long endMillis, R item);

    /** Returns the item of a group that goes next, or the one that ends first; empty if it has none. */
    Optional<Parked<R>> first(RetryKey group, boolean byEnd);

    /** Removes what {@link #first} has returned. Returns the first end of those that are left; empty without any. */
    OptionalLong remove(RetryKey group, Parked<R> parked);
}
