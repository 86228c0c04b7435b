package io.spillway.core.item;

/**
 * Why an item was put into the lane it is in; the value of the header {@code spillway-lane-reason}, which a fresh item
 * does without.
 */
public enum LaneReason {
    /** Fresh, and within its tenant's rate. */
    FRESH("fresh"),
    /** Over its tenant's rate and burst. */
    RATE("rate"),
    /** Of a tenant without a rate that has had far more than its fair share of hot, while hot is behind. */
    SHARE("share"),
    /** Older than its tenant's {@code agedAfter}. */
    AGE("age"),
    /** Back in hot after an attempt that failed and its wait. */
    RETRY("retry"),
    /** Back in hot from the delay lane without an attempt: it was moved out of the way, or is replayed. */
    DUE("due"),
    /** In front of others' fresh work: more of its tenant's than can be handled soon. */
    EXCESS("excess"),
    /** In front of others' work while its tenant has as many handlers as it may have. */
    CAPPED("capped"),
    /** A retry that its tenant's budget does not allow yet. */
    RETRY_BUDGET("retry-budget");

    private final String label;

    LaneReason(String label) {
        this.label = label;
    }

    /** The reason as it stands in headers and metric labels. */
    public String label() {
        return label;
    }
}
