package io.spillway.core.item;

import java.util.Arrays;
import java.util.Optional;

/** Reason why an item is a dead letter: the value of the header {@code spillway-dead-reason}. */
public enum DeadReason {
    /** The bytes do not decode as an item: wrong magic, truncated, an invalid length or trailing bytes. */
    MALFORMED("malformed"),
    /** The record has no value. */
    NULL_VALUE("null-value"),
    /** The single-object encoding has a fingerprint that no released version of the schema has. */
    UNKNOWN_SCHEMA("unknown-schema"),
    /** The value starts with the zero byte of a schema registry's wire format, which is not supported. */
    SCHEMA_REGISTRY_FRAMING("schema-registry-framing"),
    /** The tenant is missing or breaks the rules for names. */
    BAD_TENANT("bad-tenant"),
    /** The id is empty, too long or not printable ASCII. */
    BAD_ID("bad-id"),
    /** The workload breaks the rules for names. */
    BAD_WORKLOAD("bad-workload"),
    /** The header {@code spillway-enqueued-at} is not epoch milliseconds. */
    BAD_ENQUEUED_AT("bad-enqueued-at"),
    /** The header {@code spillway-deliver-at} is not epoch milliseconds, but for example seconds. */
    BAD_DELIVER_AT("bad-deliver-at"),
    /** The header {@code spillway-order-key} is empty, too long or not printable ASCII. */
    BAD_ORDER_KEY("bad-order-key"),
    /** The item is in the delay lane and its header {@code spillway-due} is missing or not epoch milliseconds. */
    BAD_DUE("bad-due"),
    /** The record is larger than {@code topics.maxBytes}, or its headers than {@code router.maxHeaderBytes}. */
    TOO_LARGE("too-large"),
    /** The record has more headers than {@link ItemLimits#MAX_HEADERS}. */
    TOO_MANY_HEADERS("too-many-headers"),
    /** A bug in the router: the item is kept so that it can be replayed after the fix. */
    ROUTER_ERROR("router-error"),
    /** As many failures of its own as the tenant's policy allows. */
    ATTEMPTS_USED_UP("attempts-used-up"),
    /** Every attempt failed until the tenant's {@code retryFor} was over. */
    RETRY_TIME_OVER("retry-time-over"),
    /** The item was not attempted before its tenant's {@code expireAfter} was over. */
    EXPIRED("expired"),
    /** The handler reported that no further attempt can succeed. */
    FINAL_FAILURE("final-failure"),
    /** The item was the only suspect running in {@code killer.deaths} workers that died. */
    KILLED_WORKER("killed-worker"),
    /** The handler did not return for long after its interrupt. */
    STUCK("stuck");

    private final String label;

    DeadReason(String label) {
        this.label = label;
    }

    /** Returns the reason with a label; empty for any other text. */
    public static Optional<DeadReason> of(String label) {
        return Arrays.stream(values()).filter(reason -> reason.label.equals(label)).findAny();
    }

    /** Returns the value used in headers and metric labels. */
    public String label() {
        return label;
    }
}
