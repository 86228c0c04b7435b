package io.spillway.core.item;

/** Why an item is a dead letter; the value of the header {@code spillway-dead-reason}. */
public enum DeadReason {
    /** Not readable as an item: wrong magic, truncated, a length that cannot be, bytes left over. */
    MALFORMED("malformed"),
    /** The record has no value. */
    NULL_VALUE("null-value"),
    /** Single-object encoding with a fingerprint that no released version of the schema has. */
    UNKNOWN_SCHEMA("unknown-schema"),
    /** The leading zero byte of a schema registry's wire format, which is not ours. */
    SCHEMA_REGISTRY_FRAMING("schema-registry-framing"),
    /** No tenant, or one that breaks the rules for names. */
    BAD_TENANT("bad-tenant"),
    /** An id that is empty, too long or not printable ASCII. */
    BAD_ID("bad-id"),
    /** A workload that breaks the rules for names. */
    BAD_WORKLOAD("bad-workload"),
    /** A header {@code spillway-enqueued-at} that is not epoch milliseconds. */
    BAD_ENQUEUED_AT("bad-enqueued-at"),
    /** In the delay lane without a header {@code spillway-due} that is epoch milliseconds. */
    BAD_DUE("bad-due"),
    /** Larger than {@code topics.maxBytes}. */
    TOO_LARGE("too-large"),
    /** More headers than {@link ItemLimits#MAX_HEADERS}. */
    TOO_MANY_HEADERS("too-many-headers"),
    /** Our own code failed on this item; it is kept for a replay after the bug is fixed. */
    ROUTER_ERROR("router-error"),
    /** Every attempt that its tenant's policy allows has failed. */
    ATTEMPTS_USED_UP("attempts-used-up"),
    /** The handler said that no further attempt can succeed. */
    FINAL_FAILURE("final-failure"),
    /** It was running alone among the suspects in {@code killer.deaths} workers that died. */
    KILLED_WORKER("killed-worker");

    private final String label;

    DeadReason(String label) {
        this.label = label;
    }

    /** The reason as it stands in headers and metric labels. */
    public String label() {
        return label;
    }
}
