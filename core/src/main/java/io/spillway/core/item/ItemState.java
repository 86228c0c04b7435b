package io.spillway.core.item;

import java.util.List;

/** State of an item in the ledger: outside, in a lane, or finished. The order is that of the ledger's schema. */
public enum ItemState {
    /** Not received yet: in ingress, or with its producer. */
    OUTSIDE("outside"),
    HOT("hot"),
    OVERFLOW("overflow"),
    AGED("aged"),
    /** In the delay lane, or a timer of the delay stage. */
    DELAY("delay"),
    /** A dead letter that is neither replayed nor discarded. */
    DEAD_LETTER("dead-letter"),
    DONE("done"),
    /** Dropped by a rule, or discarded as a dead letter. */
    DROPPED("dropped");

    /** Number of states. */
    public static final int COUNT = values().length;
    /** States in which items wait to be handled. */
    public static final List<ItemState> WAITING = List.of(values()).subList(HOT.ordinal(), DEAD_LETTER.ordinal());
    /** States that items can leave: all but the final ones, {@link #DONE} and {@link #DROPPED}. */
    public static final List<ItemState> LEFT = List.of(values()).subList(0, DONE.ordinal());

    private final String label;

    ItemState(String label) {
        this.label = label;
    }

    /** Returns the name used in topics, metrics and output. */
    public String label() {
        return label;
    }

    /** Returns the state of an item in the lane. */
    public static ItemState of(Lane lane) {
        return LEFT.get(HOT.ordinal() + lane.ordinal());
    }
}
