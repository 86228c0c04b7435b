package io.spillway.kafka.codec;

import io.spillway.core.item.DeadReason;
import io.spillway.core.item.ItemLimits;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;

/**
 * Reader of the routing fields of a record, which checks that the record is complete without decoding the rest.
 *
 * <p>An item is either a {@code WorkItem} in Avro's single-object encoding, or any value with a header
 * {@code spillway-tenant}. Headers take precedence over the value. {@link #read} returns a result for any bytes and
 * never throws. Immutable and thread-safe.
 */
public final class ItemReader {
    private static final int REGISTRY_PREFIX_BYTES = 5;

    private final ItemSchemas schemas;
    private final int maxBytes;
    private final int maxHeaders;
    private final int maxHeaderBytes;

    /** Creates a reader with ingress' limit of headers. Their bytes are limited by the record's size only. */
    public ItemReader(ItemSchemas schemas, int maxBytes) {
        this(schemas, maxBytes, ItemLimits.MAX_HEADERS);
    }

    /** Creates a reader that limits the bytes of headers by the record's size only. */
    public ItemReader(ItemSchemas schemas, int maxBytes, int maxHeaders) {
        this(schemas, maxBytes, maxHeaders, maxBytes);
    }

    /**
     * Creates a reader.
     *
     * @param maxBytes       largest record with key, value and headers
     * @param maxHeaders     limit of headers per record
     * @param maxHeaderBytes limit of the bytes of their names and values together
     */
    public ItemReader(ItemSchemas schemas, int maxBytes, int maxHeaders, int maxHeaderBytes) {
        this.schemas = schemas;
        this.maxBytes = maxBytes;
        this.maxHeaders = maxHeaders;
        this.maxHeaderBytes = maxHeaderBytes;
    }

    /**
     * Reads a record.
     *
     * @param key             may be null
     * @param value           may be null
     * @param headers         not null
     * @param timestampMillis timestamp of the record, used for an item without a creation time
     */
    public ParsedRecord read(byte[] key, byte[] value, Headers headers, long timestampMillis) {
        HeaderScan scan = HeaderScan.of(headers);
        try {
            checkSize(key, value, scan);
            return scan.hasRoutingFields() ? readWithHeaders(value, scan, timestampMillis) : readValue(value, scan);
        } catch (UnreadableItem e) {
            return new ParsedRecord.Unreadable(e.reason(), e.getMessage(), scan.hasInternal(), tenantOf(value, scan));
        }
    }

    /** Returns the tenant of a record that is refused for any reason; empty if it cannot be told. */
    private String tenantOf(byte[] value, HeaderScan scan) {
        try {
            if (scan.tenant() != null) {
                return nameOf(scan.tenant(), DeadReason.BAD_TENANT);
            }
            if (value == null) {
                return "";
            }
            schemaOf(value); // Throws for a value that is not a WorkItem.
            return readName(
                    new AvroCursor(value, SingleObject.PREFIX_BYTES), value, null, 1, DeadReason.BAD_TENANT);
        } catch (UnreadableItem e) {
            return "";
        }
    }

    private void checkSize(byte[] key, byte[] value, HeaderScan scan) {
        if (value == null) {
            throw new UnreadableItem(DeadReason.NULL_VALUE, "the record has no value");
        }
        if (scan.count() > maxHeaders) {
            throw new UnreadableItem(DeadReason.TOO_MANY_HEADERS, scan.count() + " headers; at most " + maxHeaders);
        }
        long size = (long) value.length + (key == null ? 0 : key.length) + scan.bytes();
        if (size > maxBytes) {
            throw new UnreadableItem(DeadReason.TOO_LARGE, size + " bytes; at most " + maxBytes + " (topics.maxBytes)");
        }
        if (scan.bytes() > maxHeaderBytes) {
            throw new UnreadableItem(DeadReason.TOO_LARGE, scan.bytes() + " bytes of headers; at most "
                    + maxHeaderBytes + " (router.maxHeaderBytes)");
        }
    }

    /** Reads a WorkItem. A field that a header overrides is not validated, because the header is. */
    private ParsedRecord.Item readValue(byte[] value, HeaderScan scan) {
        int schema = schemaOf(value);
        AvroCursor cursor = new AvroCursor(value, SingleObject.PREFIX_BYTES);

        String tenant = readName(cursor, value, scan.tenant(), 1, DeadReason.BAD_TENANT);
        int length = cursor.readLength();
        if (scan.id() == null && !ItemLimits.isId(value, cursor.position(), length)) {
            throw badId(value, cursor.position(), length);
        }
        cursor.skip(length);
        long enqueuedAtMillis = cursor.readLong();
        String workload = readName(cursor, value, scan.workload(), 0, DeadReason.BAD_WORKLOAD);
        schemas.skipTail(schema, cursor);
        return itemOf(tenant, enqueuedAtMillis, workload, scan);
    }

    /** Reads a name of at least this length; empty if a header overrides it. */
    private static String readName(AvroCursor cursor, byte[] value, Header header, int minLength, DeadReason reason) {
        int length = cursor.readLength();
        int start = cursor.position();
        cursor.skip(length);
        if (header != null || length == 0 && minLength == 0) {
            return "";
        }
        if (!ItemLimits.isName(value, start, length)) {
            throw badName(reason, value, start, length);
        }
        return cursor.ascii(start, length);
    }

    /** With a tenant header, the value may have any format. A WorkItem provides the fields without a header. */
    private ParsedRecord readWithHeaders(byte[] value, HeaderScan scan, long timestampMillis) {
        ParsedRecord.Item item =
                scan.tenant() == null ? readValue(value, scan) : readValueIfItem(value, scan, timestampMillis);
        String tenant = scan.tenant() == null ? item.tenant() : nameOf(scan.tenant(), DeadReason.BAD_TENANT);
        if (scan.id() != null) {
            byte[] id = valueOf(scan.id(), DeadReason.BAD_ID);
            if (!ItemLimits.isId(id, 0, id.length)) {
                throw badId(id, 0, id.length);
            }
        }
        long enqueuedAtMillis = scan.enqueuedAt() == null ? item.enqueuedAtMillis() : millisOf(scan.enqueuedAt());
        String workload = item.workload();
        if (scan.workload() != null) {
            boolean isEmpty = valueOf(scan.workload(), DeadReason.BAD_WORKLOAD).length == 0;
            workload = isEmpty ? "" : nameOf(scan.workload(), DeadReason.BAD_WORKLOAD);
        }
        return itemOf(tenant, enqueuedAtMillis, workload, scan);
    }

    private ParsedRecord.Item readValueIfItem(byte[] value, HeaderScan scan, long timestampMillis) {
        if (SingleObject.hasPrefix(value)) {
            try {
                return readValue(value, scan);
            } catch (UnreadableItem notAnItem) {
                // The value has another format that happens to begin with the same prefix.
            }
        }
        return itemOf("", timestampMillis, "", scan);
    }

    private static ParsedRecord.Item itemOf(String tenant, long enqueuedAtMillis, String workload, HeaderScan scan) {
        return new ParsedRecord.Item(tenant, enqueuedAtMillis, workload, scan.hasInternal(), scan.deliverAtMillis(),
                scan.isSequenced());
    }

    private int schemaOf(byte[] value) {
        if (value.length >= REGISTRY_PREFIX_BYTES && value[0] == 0) {
            throw new UnreadableItem(DeadReason.SCHEMA_REGISTRY_FRAMING, "the value has schema registry framing."
                    + " Use single-object encoding, or set the header " + ItemHeaders.TENANT);
        }
        if (!SingleObject.hasPrefix(value)) {
            throw UnreadableItem.malformed("the value is not in single-object encoding. Use it, or set the header "
                    + ItemHeaders.TENANT);
        }
        long fingerprint = SingleObject.fingerprint(value);
        int schema = schemas.indexOf(fingerprint);
        if (schema < 0) {
            throw new UnreadableItem(DeadReason.UNKNOWN_SCHEMA, "fingerprint "
                    + HexFormat.of().toHexDigits(fingerprint)
                    + " is not of a released WorkItem. Upgrade the routers, or correct the producer");
        }
        return schema;
    }

    private static String nameOf(Header header, DeadReason reason) {
        byte[] bytes = valueOf(header, reason);
        if (!ItemLimits.isName(bytes, 0, bytes.length)) {
            throw badName(reason, bytes, 0, bytes.length);
        }
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }

    private static long millisOf(Header header) {
        byte[] bytes = valueOf(header, DeadReason.BAD_ENQUEUED_AT);
        return ItemHeaders.number(bytes).orElseThrow(() -> new UnreadableItem(
                DeadReason.BAD_ENQUEUED_AT, quoted(bytes, 0, bytes.length) + " is not epoch milliseconds"));
    }

    private static byte[] valueOf(Header header, DeadReason reason) {
        if (header.value() == null) {
            throw new UnreadableItem(reason, "the header " + header.key() + " has no value");
        }
        return header.value();
    }

    private static UnreadableItem badName(DeadReason reason, byte[] bytes, int offset, int length) {
        return new UnreadableItem(reason, quoted(bytes, offset, length)
                + " must be " + ItemLimits.NAME_ALLOWED);
    }

    private static UnreadableItem badId(byte[] bytes, int offset, int length) {
        return new UnreadableItem(DeadReason.BAD_ID, quoted(bytes, offset, length)
                + " must be 1 to " + ItemLimits.MAX_ID_LENGTH + " printable ASCII characters");
    }

    private static String quoted(byte[] bytes, int offset, int length) {
        int shown = Math.min(length, 32);
        return "'" + new String(bytes, offset, shown, StandardCharsets.UTF_8) + (shown < length ? "..." : "") + "'";
    }
}
