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
import java.util.Map;
import java.util.Objects;
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
 * <p>Only the tenant is required. It is also the record's key, with the order key if there is one
 * ({@link TenantPartitioner#keyOf}). An item has one of two forms:
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
    /** Leaves room for the nine that are added. */
    private static final int MAX_HEADERS = ItemLimits.MAX_HEADERS - 9;
    private static final String RESERVED = "spillway-";
    private static final String CONTENT_TYPE = "content-type";
    private static final String ANY_TYPE = "application/octet-stream";
    private static final String NEEDED = "an item with a channel or attributes, or whose payload is an encoded"
            + " WorkItem, needs an id and a time";
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
    /** Latest end of a window that begins at {@link #deliverAt}. */
    private Instant latest = Instant.MAX;
    private String orderKey = "";
    private boolean dedupe;
    private long withinMillis;
    private String channel;
    private String contentType;
    private byte[] payload = {};

    private ItemBuilder(String tenant) {
        this.tenant = ItemChecks.requireName("tenant", tenant);
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
        ItemChecks.requireName("tenant", item.getTenant());
        ItemChecks.requireId("id", item.getId());
        ItemChecks.requireWorkload(item.getWorkload());
        return new ProducerRecord<>(topic, bytes(item.getTenant()), encode(item));
    }

    /**
     * Sets the id that handlers receive. Nothing is deduplicated by it without {@link #dedupe}. Default: the record's
     * position in ingress, {@code topic-partition-offset}.
     *
     * @param key 1 to 256 printable ASCII characters; it may repeat
     */
    public ItemBuilder id(String key) {
        id = ItemChecks.requireId("id", key);
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
        workload = ItemChecks.requireWorkload(name);
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
        Instant most = now.plusMillis(ItemLimits.MAX_AHEAD_MILLIS);
        if (time.isBefore(Instant.ofEpochMilli(ItemLimits.EARLIEST_MILLIS)) || time.isAfter(most)) {
            throw new IllegalArgumentException(
                    "deliverAt = " + time + ". Allowed: from 2000 to 14 days ahead of now");
        }
        deliverAt = time;
        latest = most;
        return this;
    }

    /**
     * Makes the item wait for its turn: items of the tenant with this key are handled one at a time, in the order in
     * which the router takes them. Default: none.
     *
     * @param key 1 to 256 printable ASCII characters
     */
    public ItemBuilder orderKey(String key) {
        orderKey = ItemChecks.requireId("orderKey", key);
        return this;
    }

    /**
     * Makes the router drop the item if it has accepted one of the same tenant, id and order key within the tenant's
     * {@code dedupeWindow}. The item then needs an {@link #id}. Default: nothing is dropped.
     */
    public ItemBuilder dedupe() {
        dedupe = true;
        return this;
    }

    /**
     * Spreads the first attempts of items over a window that begins at {@link #deliverAt}, or else when the item was
     * created. The place of an item follows from its tenant and id: one that is built again has the same. It therefore
     * needs an id and a time. Default: no window.
     *
     * @param window at most 14 days, together with the time of {@link #deliverAt}; kept to the millisecond
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
        contentType = ItemChecks.requirePrintable("contentType", mediaType, Integer.MAX_VALUE, "1 or more");
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
     * @throws IllegalStateException if the item already has 991 headers
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
     * Returns the record of the item, with the key of {@link TenantPartitioner#keyOf}. The producer needs
     * {@code ByteArraySerializer} for key and value.
     *
     * @param topic the ingress topic, by default {@code spillway.ingress}; not null
     * @throws IllegalStateException if an item that must be a {@link WorkItem}, or has a window, has no id or no time,
     *                               one with {@link #dedupe} no id, or a window ends more than 14 days ahead
     */
    public ProducerRecord<byte[], byte[]> toRecord(String topic) {
        if (dedupe) {
            ItemChecks.requireSet("id", id, "dedupe compares ids");
        }
        byte[] key = TenantPartitioner.keyOf(tenant, orderKey);
        if (channel != null || !attributes.isEmpty() || isWorkItem(payload)) {
            ItemChecks.requireSet("id", id, NEEDED);
            ItemChecks.requireSet("enqueuedAt", enqueuedAt, NEEDED);
            byte[] value = encode(new WorkItem(tenant, id, enqueuedAt, workload, channel,
                    contentType == null ? ANY_TYPE : contentType, attributes, ByteBuffer.wrap(payload)));
            return new ProducerRecord<>(topic, null, key, value, withSchedule(headers));
        }
        return new ProducerRecord<>(topic, null, key, payload, headersOfItem());
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
            ItemChecks.requireSet("id", id, "its place in a window follows from its id");
            from = deliverAt == null ? enqueuedAt : deliverAt;
            ItemChecks.requireSet("time: enqueuedAt or deliverAt", from, "a window begins then");
            if (deliverAt != null && deliverAt.plusMillis(withinMillis).isAfter(latest)) {
                throw new IllegalStateException("deliverAt = " + deliverAt + " with deliverWithin = "
                        + Duration.ofMillis(withinMillis) + " ends too late. Allowed: 14 days ahead of now");
            }
        }
        if (from != null) {
            long offsetMillis = DeliveryWindow.offsetMillis(tenant, id == null ? "" : id, withinMillis);
            all.add(headerOf("spillway-deliver-at", Long.toString(from.toEpochMilli() + offsetMillis)));
        }
        if (!orderKey.isEmpty()) {
            all.add(headerOf("spillway-order-key", orderKey));
        }
        if (dedupe) {
            all.add(headerOf("spillway-dedupe", "true"));
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
}
