package io.spillway.kafka.codec;

import io.spillway.core.item.ItemLimits;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.utils.Utils;

/**
 * Routing headers and totals of a record, collected in one pass. For headers with the same name the last one counts, as
 * usual in Kafka.
 *
 * @param count           number of headers
 * @param bytes           bytes of their names and values
 * @param hasInternal     whether there is a header that only Spillway may set
 * @param isSequenced     as {@link ParsedRecord.Item} has it
 * @param deliverAtMillis earliest time of the first attempt, as {@link ParsedRecord.Item} has it
 * @param tenant          null if absent, as are the three that follow
 */
record HeaderScan(
        int count, long bytes, boolean hasInternal, boolean isSequenced, long deliverAtMillis, Header tenant, Header id,
        Header enqueuedAt, Header workload) {
    private static final HeaderScan EMPTY = new HeaderScan(0, 0, false, false, 0, null, null, null, null);

    static HeaderScan of(Headers headers) {
        Header[] all = headers.toArray();
        if (all.length == 0) {
            return EMPTY;
        }
        long bytes = 0;
        boolean hasInternal = false;
        boolean isSequenced = false;
        long deliverAtMillis = 0;
        Header tenant = null;
        Header id = null;
        Header enqueuedAt = null;
        Header workload = null;
        for (Header header : all) {
            String name = header.key();
            byte[] value = header.value();
            bytes += Utils.utf8Length(name) + (value == null ? 0 : value.length);
            if (name.startsWith(ItemHeaders.PREFIX)) {
                switch (name) {
                    case ItemHeaders.TENANT -> tenant = header;
                    case ItemHeaders.ID -> id = header;
                    case ItemHeaders.ENQUEUED_AT -> enqueuedAt = header;
                    case ItemHeaders.WORKLOAD -> workload = header;
                    case ItemHeaders.DELIVER_AT ->
                        deliverAtMillis = value == null ? 0 : deliverAtMillis(value);
                    case ItemHeaders.ORDER_KEY, ItemHeaders.DEDUPE -> isSequenced = true;
                    default -> hasInternal |= ItemHeaders.isInternal(name);
                }
            }
        }
        return new HeaderScan(
                all.length, bytes, hasInternal, isSequenced, deliverAtMillis, tenant, id, enqueuedAt, workload);
    }

    private static long deliverAtMillis(byte[] value) {
        long millis = ItemHeaders.number(value).orElse(ParsedRecord.Item.NO_TIME);
        return millis == 0 || ItemLimits.isTime(millis) ? millis : ParsedRecord.Item.NO_TIME;
    }

    boolean hasRoutingFields() {
        return tenant != null || id != null || enqueuedAt != null || workload != null;
    }
}
