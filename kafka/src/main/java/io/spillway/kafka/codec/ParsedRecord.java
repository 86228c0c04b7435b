package io.spillway.kafka.codec;

import io.spillway.core.item.DeadReason;

/** What a reader found in a record. */
public sealed interface ParsedRecord {
    /**
     * An item that can be routed.
     *
     * @param tenant             a valid name
     * @param enqueuedAtMillis   as the producer said, or the record's timestamp; may be absurd. Epoch milliseconds
     * @param workload           a valid name, or empty
     * @param hasInternalHeaders whether it carries headers that only we may set
     */
    record Item(String tenant, long enqueuedAtMillis, String workload, boolean hasInternalHeaders)
            implements ParsedRecord {}

    /**
     * Not an item.
     *
     * @param reason             why
     * @param detail             what was found; may hold words from outside
     * @param hasInternalHeaders whether it carries headers that only we may set
     */
    record Unreadable(DeadReason reason, String detail, boolean hasInternalHeaders) implements ParsedRecord {}
}
