package io.spillway.kafka.codec;

import io.spillway.core.item.DeadReason;

/** Result of reading a record. */
public sealed interface ParsedRecord {
    /**
     * Item that can be routed.
     *
     * @param tenant             a valid name
     * @param enqueuedAtMillis   as set by the producer, or the record's timestamp; any value is possible. Epoch
     *                           milliseconds
     * @param workload           a valid name, or empty
     * @param hasInternalHeaders whether the record has headers that only Spillway may set
     * @param deliverAtMillis    earliest time of its first attempt, epoch milliseconds; 0 for none, {@link #NO_TIME}
     *                           for a header that is not a time
     * @param isSequenced        whether it has the header of an order key or of an id that counts once
     */
    record Item(
            String tenant, long enqueuedAtMillis, String workload, boolean hasInternalHeaders, long deliverAtMillis,
            boolean isSequenced)
            implements ParsedRecord {
        /** Below every other time, so that it delays nothing where only the router must refuse it. */
        public static final long NO_TIME = -1;

        /** Creates an item that may be attempted at once. */
        public Item(String tenant, long enqueuedAtMillis, String workload, boolean hasInternalHeaders) {
            this(tenant, enqueuedAtMillis, workload, hasInternalHeaders, 0, false);
        }
    }

    /**
     * Record that is not an item.
     *
     * @param reason             reason to dead-letter it
     * @param detail             explanation; may contain text from outside
     * @param hasInternalHeaders whether the record has headers that only Spillway may set
     * @param tenant             a valid name if it can be told, otherwise empty
     */
    record Unreadable(DeadReason reason, String detail, boolean hasInternalHeaders, String tenant)
            implements ParsedRecord {}
}
