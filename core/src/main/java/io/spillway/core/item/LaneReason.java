package io.spillway.core.item;

/** Reason why an item is in its lane: the value of the header {@code spillway-lane-reason}, which fresh items omit. */
public enum LaneReason {
    /** Fresh and within its tenant's rate. */
    FRESH("fresh"),
    /** Over its tenant's rate and burst. */
    RATE("rate"),
    /** Its tenant, or its workload, has more than its share of hot while hot is behind at the worker. */
    SHARE("share"),
    /** Older than its tenant's {@code agedAfter}. */
    AGE("age"),
    /** Back in hot after a failed attempt and its backoff. */
    RETRY("retry"),
    /** Back in hot from the delay lane without an attempt: the item was deferred or replayed. */
    DUE("due"),
    /** Blocked other tenants' fresh work: its tenant has more items in front than can be handled soon. */
    EXCESS("excess"),
    /** Blocked other tenants' work while its tenant used all handlers of its concurrency limit. */
    CAPPED("capped"),
    /** The handler put it off. */
    LATER("later"),
    /** Its producer set a later time for its first attempt. */
    SCHEDULED("scheduled"),
    /** Its tenant or its workload is paused. */
    PAUSED("paused"),
    /** In delay until each of its tenant's subscriptions that match has its delivery. */
    FAN_OUT("fan-out"),
    /** In delay until the items before it with its order key have ended, or until its id is known to be new. */
    ORDER("order"),
    /** In delay while an attempt of it runs. */
    CLAIMED("claimed"),
    /** Moved within its lane, to the partitions of its tenant. A label of metrics alone: the item keeps its reason. */
    ISOLATED("isolated"),
    /** In delay because its worker was lost, until a lease that it may have had has ended. */
    LOST("lost");

    private final String label;

    LaneReason(String label) {
        this.label = label;
    }

    /** Returns the value used in headers and metric labels. */
    public String label() {
        return label;
    }
}
