package io.spillway.kafka.codec;

import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.utils.Utils;

/**
 * Routing headers and totals of a record, collected in one pass. For headers with the same name the last one counts, as
 * usual in Kafka.
 *
 * @param count       number of headers
 * @param bytes       bytes of their names and values
 * @param hasInternal whether there is a header that only Spillway may set
 * @param tenant      null if absent, as are the three that follow
 */
record HeaderScan(
        int count, long bytes, boolean hasInternal, Header tenant, Header id, Header enqueuedAt, Header workload) {
    private static final HeaderScan EMPTY = new HeaderScan(0, 0, false, null, null, null, null);

    static HeaderScan of(Headers headers) {
        Header[] all = headers.toArray();
        if (all.length == 0) {
            return EMPTY;
        }
        long bytes = 0;
        boolean hasInternal = false;
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
                    default -> hasInternal |= ItemHeaders.isInternal(name);
                }
            }
        }
        return new HeaderScan(all.length, bytes, hasInternal, tenant, id, enqueuedAt, workload);
    }

    boolean hasRoutingFields() {
        return tenant != null || id != null || enqueuedAt != null || workload != null;
    }
}
