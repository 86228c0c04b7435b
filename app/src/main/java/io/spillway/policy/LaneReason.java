package io.spillway.policy;

/**
 * Why an item was put into the lane it is in; the value of the header {@code spillway-lane-reason}, which a fresh item
 * does without.
 */
public enum LaneReason {
    /** Fresh, and within its tenant's rate. */
    FRESH("fresh"),
    /** Over its tenant's rate and burst. */
    RATE("rate"),
    /** Older than its tenant's {@code agedAfter}. */
    AGE("age");

    private final String label;

    LaneReason(String label) {
        this.label = label;
    }

    /** The reason as it stands in headers and metric labels. */
    public String label() {
        return label;
    }
}
