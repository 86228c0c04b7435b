package io.spillway.core.scheduling;

import io.spillway.core.item.ItemLimits;

/**
 * An item in the scheduler. It waits in a {@link FairQueue}, which owns its links, and then holds a slot, from
 * {@link FairDispatch#take} until {@link FairDispatch#ended}, or is a rider in the slot of another item.
 */
public final class SlotLease<T> {
    private static final int SECONDS_PER_LEVEL = 60;
    private static final long MILLIS_PER_SECOND = 1_000;

    private final T item;
    SlotLease<T> before;
    SlotLease<T> after;
    /**
     * Seconds of the epoch in which the item came, a minute earlier for each level above normal. Whole seconds, and
     * bytes below: together they fit into what alignment leaves of the object. Compared by difference, as it may wrap.
     */
    private final int urgentSinceSeconds;
    final byte priority;
    /** That it has made, at most 127. */
    final byte moves;

    /** The queue that it was offered to, and from which it has started. */
    FairQueue<T> queue;
    /** From here on, once it has started; of what its leaf called then, null for nothing with a limit. */
    DestinationNode<T> destination;
    long startedNanos;
    double chargedMillis;
    /** Whether the charge is what its node's attempts have taken, so that its end can be expected. */
    boolean isKnown;
    /** Of its tenant's {@link AdaptiveCap}. */
    int cohort;
    /** Of {@link ExpectedEnds}: its index, or {@link ExpectedEnds#NONE}, and whether it counts as ending soon. */
    int borrowedIndex;
    boolean isSoon;
    boolean ended;
    /** That its slot is for: itself, and its riders so far; 0 for a rider. */
    int items = 1;

    /** As {@link FairDispatch#offer}. */
    SlotLease(T item, int moves, int priority, long enqueuedAtMillis) {
        if (moves < 0 || priority < 0 || priority > ItemLimits.MAX_PRIORITY) {
            throw new IllegalArgumentException("moves = " + moves + ": must be 0 or more; priority = " + priority
                    + ": must be from 0 to " + ItemLimits.MAX_PRIORITY);
        }
        this.item = item;
        this.moves = (byte) Math.min(moves, Byte.MAX_VALUE);
        this.priority = (byte) priority;
        int levelSeconds = (priority - ItemLimits.NORMAL_PRIORITY) * SECONDS_PER_LEVEL;
        this.urgentSinceSeconds = (int) (enqueuedAtMillis / MILLIS_PER_SECOND - levelSeconds);
    }

    /** The item, as it was offered. */
    public T item() {
        return item;
    }

    /** Returns whether it has no slot of its own, but shares the one of an item that was taken before. */
    public boolean isRider() {
        return items == 0;
    }

    /** Returns whether it is served before the first item of another level. */
    boolean isBefore(SlotLease<T> other) {
        int difference = urgentSinceSeconds - other.urgentSinceSeconds;
        return difference < 0 || difference == 0 && priority > other.priority;
    }
}
