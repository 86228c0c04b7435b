package io.spillway.core.scheduling;

import io.spillway.core.item.ItemLimits;

/** A waiting item, linked into its {@link EntryQueue}, which owns the links. */
final class QueueEntry<T> {
    static final int LEVELS = ItemLimits.MAX_PRIORITY + 1;

    private static final int SECONDS_PER_LEVEL = 60;
    private static final long MILLIS_PER_SECOND = 1_000;

    final T item;
    QueueEntry<T> before;
    QueueEntry<T> after;
    /**
     * Seconds of the epoch in which the item came, a minute earlier for each level above normal. Whole seconds, and
     * bytes below: together they fit into what alignment leaves of the object. Compared by difference, as it may wrap.
     */
    private final int urgentSinceSeconds;
    final byte priority;
    private final byte moves;

    /** @param priority 0 to 9 */
    QueueEntry(T item, int moves, int priority, long enqueuedAtMillis) {
        this.item = item;
        this.moves = (byte) Math.min(moves, Byte.MAX_VALUE);
        this.priority = (byte) priority;
        int levelSeconds = (priority - ItemLimits.NORMAL_PRIORITY) * SECONDS_PER_LEVEL;
        this.urgentSinceSeconds = (int) (enqueuedAtMillis / MILLIS_PER_SECOND - levelSeconds);
    }

    /** Returns the moves that it has made, at most 127. */
    int moves() {
        return moves;
    }

    /** Returns whether it is served before the first item of another level. */
    boolean isBefore(QueueEntry<T> other) {
        int difference = urgentSinceSeconds - other.urgentSinceSeconds;
        return difference < 0 || difference == 0 && priority > other.priority;
    }
}
