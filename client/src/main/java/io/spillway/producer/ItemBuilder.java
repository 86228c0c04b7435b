package io.spillway.producer;

import io.spillway.core.item.ItemLimits;
import io.spillway.core.schedule.DeliveryWindow;
import io.spillway.schema.WorkItem;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.IntPredicate;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;

/**
 * Builder of items as records for the ingress topic, with the right key and headers:
 *
 * <pre>{@code
 * ProducerRecord<byte[], byte[]> record = ItemBuilder.of("acme")
 *         .id("order-17").workload("invoices").enqueuedAt(now).contentType("application/json").payload(json)
 *         .toRecord("spillway.ingress");
 * }</pre>
 *
 * <p>Only the tenant is required. It is also the record's key, which {@link TenantPartitioner} uses. An item has one of
 * two forms:
 *
 * <ul>
 *   <li>By default, the value is the payload unchanged, and headers carry the other fields.
 *   <li>With a channel or attributes, the value is a {@link WorkItem} in Avro's single-object encoding, which requires
 *       an id and a time. A payload that is itself an encoded WorkItem is also wrapped, so that handlers receive it
 *       unchanged.
 * </ul>
 *
 * <p>Every setter throws {@link NullPointerException} for null, and {@link IllegalArgumentException} with the allowed
 * range for a value that the router would dead-letter. The size of the record is not checked, because its limit
 * ({@code topics.maxBytes}) depends on the cluster. Not thread-safe. Reusable: each record has the values set so far.
 */
public final class ItemBuilder {
    /** Leaves room for the seven that are added. */
    private static final int MAX_HEADERS = ItemLimits.MAX_HEADERS - 7;
    private static final String RESERVED = "spillway-";
    private static final String CONTENT_TYPE = "content-type";
    private static final String ANY_TYPE = "application/octet-stream";
    /** Marker and fingerprint at the start of every WorkItem in single-object encoding. */
    private static final byte[] WORK_ITEM_PREFIX = Arrays.copyOf(
            encode(new WorkItem("", "", Instant.EPOCH, "", null, "", Map.of(), ByteBuffer.allocate(0))), 10);

    private final String tenant;
    private final Map<String, String> attributes = new LinkedHashMap<>();
    private final List<Header> headers = new ArrayList<>();
    private String id;
    private Instant enqueuedAt;
    private String workload = "";
    /** Negative for none. */
    private int priority = -1;
    private Instant deliverAt;
    private long withinMillis;
    private String channel;
    private String contentType;
    private byte[] payload = {};

    private ItemBuilder(String tenant) {
        this.tenant = requireName("tenant", tenant);
    }

    /** Starts an item of a tenant: {@value ItemLimits#NAME_ALLOWED}. */
    public static ItemBuilder of(String tenant) {
        return new ItemBuilder(tenant);
    }

    /**
     * Returns the record of an existing {@link WorkItem}, in Avro's single-object encoding.
     *
     * @param topic the ingress topic, not null
     * @param item  not null
     * @throws IllegalArgumentException if its tenant, id or workload is not allowed
     */
    public static ProducerRecord<byte[], byte[]> recordOf(String topic, WorkItem item) {
        requireName("tenant", item.getTenant());
        requireId(item.getId());
        requireWorkload(item.getWorkload());
        return new ProducerRecord<>(topic, bytes(item.getTenant()), encode(item));
    }

    /**
     * Sets the id that handlers receive. Nothing is deduplicated by it. Default: the record's position in ingress,
     * {@code topic-partition-offset}.
     *
     * @param key 1 to 256 printable ASCII characters; it may repeat
     */
    public ItemBuilder id(String key) {
        id = requireId(key);
        return this;
    }

    /**
     * Sets when the item was created, kept to the millisecond; its age counts from then. Default: the timestamp of the
     * record, set when it is sent.
     */
    public ItemBuilder enqueuedAt(Instant time) {
        try {
            enqueuedAt = Instant.ofEpochMilli(time.toEpochMilli());
        } catch (ArithmeticException e) {
            throw new IllegalArgumentException(
                    "enqueuedAt is out of range. Its epoch milliseconds must fit in 64 bits", e);
        }
        return this;
    }

    /** Sets the named part of the tenant's work, in the same characters as a tenant; empty for none, the default. */
    public ItemBuilder workload(String name) {
        workload = requireWorkload(name);
        return this;
    }

    /**
     * Sets how urgent the item is among those of its workload, as in the Java Message Service: 0 to 9, default 4. Each
     * level counts as a minute of waiting, so an item of a low priority is not overtaken for ever. Other tenants and
     * workloads are not affected.
     */
    public ItemBuilder priority(int level) {
        if (level < 0 || level > ItemLimits.MAX_PRIORITY) {
            throw new IllegalArgumentException("priority = " + level + ". Allowed: 0 to " + ItemLimits.MAX_PRIORITY);
        }
        priority = level;
        return this;
    }

    /**
     * Sets the earliest time of the item's first attempt, kept to the millisecond. Until then the item waits in
     * Spillway; its age, its time to live and its end count from then. Default, and for a time in the past: at once.
     *
     * @param time at most 14 days after {@code now}; not before 2000, because such an instant was made from seconds
     * @param now  the current time
     */
    public ItemBuilder deliverAt(Instant time, Instant now) {
        if (time.isBefore(Instant.ofEpochMilli(ItemLimits.EARLIEST_MILLIS))
                || time.isAfter(now.plusMillis(ItemLimits.MAX_AHEAD_MILLIS))) {
            throw new IllegalArgumentException(
                    "deliverAt = " + time + ". Allowed: from 2000 to 14 days ahead of now");
        }
        deliverAt = time;
        return this;
    }

    /**
     * Spreads the first attempts of items over a window that begins at {@link #deliverAt}, or else when the item was
     * created. The place of an item follows from its tenant and id: one that is built again has the same. It therefore
     * needs an id and a time. Default: no window.
     *
     * @param window at most 14 days, kept to the millisecond
     */
    public ItemBuilder deliverWithin(Duration window) {
        if (window.isNegative() || window.compareTo(Duration.ofMillis(ItemLimits.MAX_AHEAD_MILLIS)) > 0) {
            throw new IllegalArgumentException("deliverWithin = " + window + ". Allowed: 0 to 14 days");
        }
        withinMillis = window.toMillis();
        return this;
    }

    /** Sets the channel through which the item arrived, as any text for the handler. Default: none. */
    public ItemBuilder channel(String name) {
        channel = Objects.requireNonNull(name, "channel");
        return this;
    }

    /**
     * Sets the media type of the payload. Default: {@code application/octet-stream}.
     *
     * @param mediaType 1 or more printable ASCII characters, because the HTTP handler sends it as a header
     */
    public ItemBuilder contentType(String mediaType) {
        contentType = require("contentType", mediaType, Integer.MAX_VALUE, ItemBuilder::isPrintable,
                "1 or more printable ASCII characters");
        return this;
    }

    /** Sets an attribute for the handler: any name and any text. Replaces an attribute of the same name. */
    public ItemBuilder attribute(String name, String value) {
        attributes.put(Objects.requireNonNull(name, "name"), Objects.requireNonNull(value, "value"));
        return this;
    }

    /**
     * Adds an application header, such as {@code traceparent}. Headers of the same name are all kept; handlers read the
     * last.
     *
     * @param name  any except {@code content-type} and {@code spillway-*}, which have their own methods
     * @param value sent as UTF-8
     * @throws IllegalStateException if the item already has 993 headers
     */
    public ItemBuilder header(String name, String value) {
        if (name.startsWith(RESERVED) || name.equals(CONTENT_TYPE)) {
            throw new IllegalArgumentException("header cannot set " + CONTENT_TYPE + " or " + RESERVED
                    + "*. Use the builder's methods, such as id and contentType");
        }
        if (headers.size() == MAX_HEADERS) {
            throw new IllegalStateException("The item already has " + MAX_HEADERS + " headers, which is the limit");
        }
        headers.add(headerOf(name, Objects.requireNonNull(value, "value")));
        return this;
    }

    /** Sets the payload, of any format. Not copied: do not modify it until the record is sent. Default: empty. */
    public ItemBuilder payload(byte[] bytes) {
        payload = Objects.requireNonNull(bytes, "payload");
        return this;
    }

    /**
     * Returns the record of the item, with the tenant as its key. The producer needs {@code ByteArraySerializer} for
     * key and value.
     *
     * @param topic the ingress topic, by default {@code spillway.ingress}; not null
     * @throws IllegalStateException if an item that must be a {@link WorkItem}, or has a window, has no id or no time
     */
    public ProducerRecord<byte[], byte[]> toRecord(String topic) {
        if (channel != null || !attributes.isEmpty() || isWorkItem(payload)) {
            requireSet("id", id);
            requireSet("enqueuedAt", enqueuedAt);
            byte[] value = encode(new WorkItem(tenant, id, enqueuedAt, workload, channel,
                    contentType == null ? ANY_TYPE : contentType, attributes, ByteBuffer.wrap(payload)));
            return new ProducerRecord<>(topic, null, bytes(tenant), value, withSchedule(headers));
        }
        return new ProducerRecord<>(topic, null, bytes(tenant), payload, headersOfItem());
    }

    private List<Header> headersOfItem() {
        List<Header> all = withSchedule(headers);
        all.add(headerOf("spillway-tenant", tenant));
        if (id != null) {
            all.add(headerOf("spillway-id", id));
        }
        if (enqueuedAt != null) {
            all.add(headerOf("spillway-enqueued-at", Long.toString(enqueuedAt.toEpochMilli())));
        }
        if (!workload.isEmpty()) {
            all.add(headerOf("spillway-workload", workload));
        }
        if (contentType != null) {
            all.add(headerOf(CONTENT_TYPE, contentType));
        }
        return all;
    }

    private List<Header> withSchedule(List<Header> own) {
        List<Header> all = new ArrayList<>(own);
        if (priority >= 0) {
            all.add(headerOf("spillway-priority", Integer.toString(priority)));
        }
        Instant from = deliverAt;
        if (withinMillis > 0) {
            requireSet("id", id);
            from = deliverAt == null ? enqueuedAt : deliverAt;
            requireSet("time: enqueuedAt or deliverAt", from);
        }
        if (from != null) {
            long offsetMillis = DeliveryWindow.offsetMillis(tenant, id == null ? "" : id, withinMillis);
            all.add(headerOf("spillway-deliver-at", Long.toString(from.toEpochMilli() + offsetMillis)));
        }
        return all;
    }

    private static Header headerOf(String name, String value) {
        return new RecordHeader(name, bytes(value));
    }

    private static boolean isWorkItem(byte[] payload) {
        int length = WORK_ITEM_PREFIX.length;
        return payload.length > length && Arrays.equals(payload, 0, length, WORK_ITEM_PREFIX, 0, length);
    }

    private static byte[] encode(WorkItem item) {
        try {
            ByteBuffer encoded = WorkItem.getEncoder().encode(item);
            byte[] bytes = new byte[encoded.remaining()];
            encoded.get(bytes);
            return bytes;
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot encode the item in memory", e);
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static void requireSet(String field, Object value) {
        if (value == null) {
            throw new IllegalStateException("The item has no " + field + ". Set it: an item with a window,"
                    + " a channel or attributes, or whose payload is an encoded WorkItem, needs an id and a time");
        }
    }

    private static String requireWorkload(String workload) {
        return workload.isEmpty() ? workload : requireName("workload", workload);
    }

    private static String requireName(String field, String name) {
        return require(field, name, ItemLimits.MAX_NAME_LENGTH, c -> ItemLimits.isName(Character.toString(c)),
                ItemLimits.NAME_ALLOWED);
    }

    private static String requireId(String id) {
        return require("id", id, ItemLimits.MAX_ID_LENGTH, ItemBuilder::isPrintable,
                "1 to " + ItemLimits.MAX_ID_LENGTH + " printable ASCII characters");
    }

    /** Reports a wrong character by its code point, because the message may be logged and the text is untrusted. */
    private static String require(String field, String text, int maxLength, IntPredicate isAllowed, String allowed) {
        Objects.requireNonNull(text, field);
        if (text.isEmpty() || text.length() > maxLength) {
            throw new IllegalArgumentException(field + " has " + text.length() + " characters. Allowed: " + allowed);
        }
        for (int i = 0; i < text.length(); i++) {
            if (!isAllowed.test(text.charAt(i))) {
                throw new IllegalArgumentException(
                        String.format(Locale.ROOT,
                                "%s has U+%04X at index %d. Allowed: %s",
                                field, (int) text.charAt(i), i, allowed));
            }
        }
        return text;
    }

    private static boolean isPrintable(int c) {
        return c >= ' ' && c <= '~';
    }
}
