package io.spillway.core.item;

/** The lanes an item can wait in. Each is one topic; the queues inside it are its partitions. */
public enum Lane {
    /** Fresh work within its tenant's rate. */
    HOT("hot"),
    /** Work over its tenant's rate, handled as soon as there are resources to spare. */
    OVERFLOW("overflow"),
    /** Old work, handled only when the live lanes are caught up. */
    AGED("aged"),
    /** Work that is to run later. */
    DELAY("delay"),
    /** What could not be handled, kept with its reason until it is replayed or discarded. */
    DEAD_LETTER("dead-letter");

    private final String label;

    Lane(String label) {
        this.label = label;
    }

    /** The lane's name in topics, metrics and output, for example {@code dead-letter}. */
    public String label() {
        return label;
    }
}
