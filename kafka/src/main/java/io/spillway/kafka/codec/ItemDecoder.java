package io.spillway.kafka.codec;

import io.spillway.schema.WorkItem;
import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.common.header.Headers;

/** Decodes a whole item for its handler; what the router only jumped over. Immutable; safe for any number of threads. */
public final class ItemDecoder {
    private static final String ANY = "application/octet-stream";

    private final RecordCodec<WorkItem> codec = new RecordCodec<>(new WorkItem(), Integer.MAX_VALUE);

    /**
     * The item in a record that {@link ItemReader} has accepted.
     *
     * @param read    what the reader found
     * @param value   of the record, not null
     * @param headers of the record
     * @param origin  where the item entered, for an item without an id
     */
    public ItemDetails decode(ParsedRecord.Item read, byte[] value, Headers headers, String origin) {
        Optional<String> id = ItemDetails.text(headers, ItemHeaders.ID);
        if (SingleObject.hasPrefix(value)) {
            try {
                return decodeAvro(read, codec.decode(value), id);
            } catch (IllegalArgumentException anyFormat) {
                // a value of another format, routed by its headers
            }
        }
        return new ItemDetails(read.tenant(), id.orElse(origin), read.enqueuedAtMillis(), read.workload(), "",
                ItemDetails.text(headers, "content-type").orElse(ANY), Map.of(), value);
    }

    /**
     * The id alone, for a fraction of the cost where it is in the routing fields.
     *
     * @param read    what the reader found
     * @param value   of the record, not null
     * @param headers of the record
     * @param origin  where the item entered, for an item without an id
     */
    public String id(ParsedRecord.Item read, byte[] value, Headers headers, String origin) {
        Optional<String> id = ItemDetails.text(headers, ItemHeaders.ID);
        if (id.isPresent()) {
            return id.get();
        }
        if (headers.lastHeader(ItemHeaders.TENANT) != null) {
            return decode(read, value, headers, origin).id();
        }
        // Without routing headers the reader has accepted it as a WorkItem, whose second field this is.
        AvroCursor cursor = new AvroCursor(value, SingleObject.PREFIX_BYTES);
        cursor.skip(cursor.readLength());
        int length = cursor.readLength();
        return cursor.ascii(cursor.position(), length);
    }

    private static ItemDetails decodeAvro(ParsedRecord.Item read, GenericRecord item, Optional<String> id) {
        Map<String, String> attributes = new HashMap<>();
        ((Map<?, ?>) item.get("attributes")).forEach((name, value) -> attributes.put(name.toString(), value.toString()));
        ByteBuffer buffer = (ByteBuffer) item.get("payload");
        byte[] payload = new byte[buffer.remaining()];
        buffer.get(payload);
        return new ItemDetails(
                read.tenant(),
                id.orElseGet(() -> item.get("id").toString()),
                read.enqueuedAtMillis(),
                read.workload(),
                item.get("channel") == null ? "" : item.get("channel").toString(),
                item.get("contentType").toString(),
                Collections.unmodifiableMap(attributes),
                payload);
    }
}
