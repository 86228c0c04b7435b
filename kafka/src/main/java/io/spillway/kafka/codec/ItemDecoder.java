package io.spillway.kafka.codec;

import io.spillway.core.item.DeadReason;
import io.spillway.core.item.ItemLimits;
import io.spillway.schema.WorkItem;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;

/** Decoder of complete items for handlers, with the fields that the router only skips. Immutable and thread-safe. */
public final class ItemDecoder {
    private static final String DEFAULT_CONTENT_TYPE = "application/octet-stream";

    private final RecordCodec<WorkItem> codec = new RecordCodec<>(new WorkItem(), Integer.MAX_VALUE);

    /**
     * Decodes a record that {@link ItemReader} has accepted.
     *
     * @param read    result of the reader
     * @param value   of the record, not null
     * @param headers of the record
     * @param origin  position of the item in ingress, used as the id of an item without a valid one
     */
    public ItemDetails decode(ParsedRecord.Item read, byte[] value, Headers headers, String origin) {
        Optional<String> id = ItemHeaders.text(headers, ItemHeaders.ID);
        if (SingleObject.hasPrefix(value)) {
            try {
                return decodeAvro(read, codec.decode(value), id, origin);
            } catch (IllegalArgumentException otherFormat) {
                // The value has another format, and is routed by its headers.
            }
        }
        return new ItemDetails(read.tenant(), id.orElse(origin), read.enqueuedAtMillis(), read.workload(), "",
                ItemHeaders.text(headers, "content-type").orElse(DEFAULT_CONTENT_TYPE), Map.of(), value);
    }

    /** Returns the id of the item, if possible without decoding the rest. Parameters as in {@link #decode}. */
    public String id(ParsedRecord.Item read, byte[] value, Headers headers, String origin) {
        Optional<String> id = ItemHeaders.text(headers, ItemHeaders.ID);
        if (id.isPresent()) {
            return id.get();
        }
        if (headers.lastHeader(ItemHeaders.TENANT) != null) {
            return decode(read, value, headers, origin).id();
        }
        // Without a tenant header the accepted value is a WorkItem, and its second field is the id.
        AvroCursor cursor = new AvroCursor(value, SingleObject.PREFIX_BYTES);
        cursor.skip(cursor.readLength());
        int length = cursor.readLength();
        return cursor.ascii(cursor.position(), length);
    }

    /**
     * Returns the id of a record that {@link ItemReader} has refused, if it can be told; empty otherwise.
     *
     * @param value may be null
     */
    public Optional<String> id(ParsedRecord.Unreadable read, byte[] value, Headers headers) {
        Header header = headers.lastHeader(ItemHeaders.ID);
        if (header != null) {
            byte[] id = header.value();
            return id == null || !ItemLimits.isId(id, 0, id.length)
                    ? Optional.empty()
                    : Optional.of(new String(id, StandardCharsets.US_ASCII));
        }
        if (value == null || read.reason() == DeadReason.UNKNOWN_SCHEMA || !SingleObject.hasPrefix(value)) {
            return Optional.empty();
        }
        try {
            AvroCursor cursor = new AvroCursor(value, SingleObject.PREFIX_BYTES);
            cursor.skip(cursor.readLength());
            int length = cursor.readLength();
            return ItemLimits.isId(value, cursor.position(), length)
                    ? Optional.of(cursor.ascii(cursor.position(), length))
                    : Optional.empty();
        } catch (UnreadableItem cutShort) {
            return Optional.empty();
        }
    }

    private static ItemDetails decodeAvro(
            ParsedRecord.Item read, GenericRecord item, Optional<String> id, String origin) {
        Map<String, String> attributes = new HashMap<>();
        ((Map<?, ?>) item.get("attributes")).forEach(
                (name, value) -> attributes.put(name.toString(), value.toString()));
        ByteBuffer buffer = (ByteBuffer) item.get("payload");
        byte[] payload = new byte[buffer.remaining()];
        buffer.get(payload);
        return new ItemDetails(read.tenant(), id.orElseGet(() -> idOf(item, origin)), read.enqueuedAtMillis(),
                read.workload(), item.get("channel") == null ? "" : item.get("channel").toString(),
                item.get("contentType").toString(), Collections.unmodifiableMap(attributes), payload);
    }

    /** With a header for the tenant, the reader accepts a value with any id, as one of another format. */
    private static String idOf(GenericRecord item, String origin) {
        String id = item.get("id").toString();
        byte[] bytes = id.getBytes(StandardCharsets.UTF_8);
        return ItemLimits.isId(bytes, 0, bytes.length) ? id : origin;
    }
}
