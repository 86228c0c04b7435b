package io.spillway.gateway;

import io.spillway.core.item.ItemLimits;
import io.spillway.core.schedule.DeliveryWindow;
import io.spillway.kafka.codec.ItemHeaders;
import io.spillway.producer.TenantPartitioner;
import io.spillway.schema.WorkItem;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.apache.kafka.common.header.Headers;

/**
 * Item as it is written.
 *
 * @param priority        0 to {@link ItemLimits#MAX_PRIORITY}
 * @param deliverAtMillis earliest time of its first attempt, epoch milliseconds; 0 for none
 * @param orderKey        empty for none
 * @param dedupe          whether it is dropped if its id is known
 * @param headers         further headers of its record
 */
public record WrittenItem(
        WorkItem item, int priority, long deliverAtMillis, String orderKey, boolean dedupe,
        Map<String, byte[]> headers) {
    public WrittenItem(WorkItem item, int priority, long deliverAtMillis) {
        this(item, priority, deliverAtMillis, "", false, Map.of());
    }

    /** Returns the key of its record. */
    public byte[] key() {
        return TenantPartitioner.keyOf(item.getTenant(), orderKey);
    }

    /** Adds the headers of what the item itself cannot carry. */
    public void addHeaders(Headers headers) {
        if (priority != ItemLimits.NORMAL_PRIORITY) {
            headers.add(ItemHeaders.PRIORITY, ascii(priority));
        }
        if (deliverAtMillis != 0) {
            headers.add(ItemHeaders.DELIVER_AT, ascii(deliverAtMillis));
        }
        if (!orderKey.isEmpty()) {
            headers.add(ItemHeaders.ORDER_KEY, orderKey.getBytes(StandardCharsets.US_ASCII));
        }
        if (dedupe) {
            headers.add(ItemHeaders.DEDUPE, "true".getBytes(StandardCharsets.US_ASCII));
        }
        this.headers.forEach(headers::add);
    }

    /**
     * Returns the item at its place in a window from its time on, or from its creation. The place follows from its
     * tenant and id, so an item that is sent again has the same.
     *
     * @param windowMillis 0 for no window
     */
    public WrittenItem within(long windowMillis) {
        long fromMillis = deliverAtMillis != 0 ? deliverAtMillis
                : JsonItems.inRange(item.getEnqueuedAt().toEpochMilli());
        return windowMillis == 0 ? this : new WrittenItem(item, priority,
                fromMillis + DeliveryWindow.offsetMillis(item.getTenant(), item.getId(), windowMillis), orderKey,
                dedupe, headers);
    }

    int headerBytes() {
        return headers.entrySet().stream()
                .mapToInt(header -> header.getKey().length() + header.getValue().length).sum();
    }

    private static byte[] ascii(long number) {
        return Long.toString(number).getBytes(StandardCharsets.US_ASCII);
    }
}
