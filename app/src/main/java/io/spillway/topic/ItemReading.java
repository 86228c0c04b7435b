package io.spillway.topic;

import io.spillway.policy.DeadReason;

/** What a reader found in a record. */
public sealed interface ItemReading {
    /**
     * An item that can be routed.
     *
     * @param tenant             a valid name
     * @param enqueuedAtMillis   as the producer said, or the record's timestamp; may be absurd. Epoch milliseconds
     * @param workload           a valid name, or empty
     * @param hasInternalHeaders whether it carries headers that only we may set
     */
    record Item(String tenant, long enqueuedAtMillis, String workload, boolean hasInternalHeaders)
            implements ItemReading {}

    /**
     * Not an item.
     *
     * @param reason             why
     * @param detail             what was found; may hold words from outside
     * @param hasInternalHeaders whether it carries headers that only we may set
     */
    record Unreadable(DeadReason reason, String detail, boolean hasInternalHeaders) implements ItemReading {}
}
