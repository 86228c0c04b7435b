package io.spillway.core.item;

import java.util.List;

/** Lanes in which an item can wait. Each lane is one topic; its partitions are the queues. */
public enum Lane {
    /** Fresh work within its tenant's rate. */
    HOT("hot"),
    /** Work over its tenant's rate, handled when resources are free. */
    OVERFLOW("overflow"),
    /** Old work, handled only when the live lanes are caught up. */
    AGED("aged"),
    /** Work that is due later. */
    DELAY("delay"),
    /** Work that could not be handled, kept with its reason until it is replayed or discarded. */
    DEAD_LETTER("dead-letter");

    /**
     * Lanes that workers work on, in the order of their priority: the first constants. This is the only list of them; a
     * new one also needs its {@link ItemState}, the routes to it and its place in the scheduler.
     */
    public static final List<Lane> WORKED = List.of(HOT, OVERFLOW, AGED);

    private final String label;

    Lane(String label) {
        this.label = label;
    }

    /** Returns whether workers work on it. */
    public boolean isWorked() {
        return ordinal() < WORKED.size();
    }

    /** Returns the name used in topics, metrics and output, for example {@code dead-letter}. */
    public String label() {
        return label;
    }
}
