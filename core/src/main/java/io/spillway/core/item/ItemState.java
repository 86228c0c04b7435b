package io.spillway.core.item;

import java.util.List;

/** Where an item can be as the books see it: outside, in a lane, or at its end. The order is that of the ledger's schema. */
public enum ItemState {
    /** Not taken in yet: in ingress, or with its producer. */
    OUTSIDE("outside"),
    /** In the lane of the same name. */
    HOT("hot"),
    /** In the lane of the same name. */
    OVERFLOW("overflow"),
    /** In the lane of the same name. */
    AGED("aged"),
    /** In the delay lane, or a timer of the delay stage. */
    DELAY("delay"),
    /** A dead letter that is neither replayed nor discarded. */
    DEAD_LETTER("dead-letter"),
    /** Handled. */
    DONE("done"),
    /** Dropped by rule, or discarded as a dead letter. */
    DROPPED("dropped");

    /** How many there are. */
    public static final int COUNT = values().length;
    /** Where items wait to be handled. */
    public static final List<ItemState> WAITING = List.of(HOT, OVERFLOW, AGED, DELAY);
    /** What items can leave: {@link #DONE} and {@link #DROPPED} are ends. */
    public static final List<ItemState> LEFT = List.of(OUTSIDE, HOT, OVERFLOW, AGED, DELAY, DEAD_LETTER);

    private static final ItemState[] OF_LANE = {HOT, OVERFLOW, AGED, DELAY, DEAD_LETTER};

    private final String label;

    ItemState(String label) {
        this.label = label;
    }

    /** Its name in topics, metrics and output. */
    public String label() {
        return label;
    }

    /** The place that a lane is. */
    public static ItemState of(Lane lane) {
        return OF_LANE[lane.ordinal()];
    }
}
