package io.spillway.core.item;

/** Why an item was dropped by rule. */
public enum DropReason {
    /** A completed anti-entropy sweep that started after the item was made covers it. */
    SWEEP("sweep"),
    /** The item is past its tenant's time to live. */
    TTL("ttl");

    private final String label;

    DropReason(String label) {
        this.label = label;
    }

    /** The reason as it stands in metric labels. */
    public String label() {
        return label;
    }
}
