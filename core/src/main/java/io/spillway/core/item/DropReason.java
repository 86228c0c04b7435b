package io.spillway.core.item;

/** Reason why a rule dropped an item. */
public enum DropReason {
    /** A completed anti-entropy sweep that started after the item was enqueued and entered covers it. */
    SWEEP("sweep"),
    /** The item is older than its tenant's time to live. */
    TTL("ttl"),
    /** Its tenant's operator cancelled it. */
    CANCELLED("cancelled"),
    /** Its tenant has sent its id before, and it asked to be dropped then. */
    DUPLICATE("duplicate");

    private final String label;

    DropReason(String label) {
        this.label = label;
    }

    /** Returns the value used in metric labels. */
    public String label() {
        return label;
    }
}
