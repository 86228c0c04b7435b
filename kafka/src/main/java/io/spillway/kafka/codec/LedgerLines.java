package io.spillway.kafka.codec;

import io.spillway.core.item.ItemState;
import io.spillway.schema.LedgerEntry;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Encoder of ledger entries: {@code LedgerEntry} in single-object encoding. Hand-written, because a busy router writes
 * about 100,000 lines a second. A test compares it with Avro's own encoder.
 *
 * <p>Owner: a {@link LedgerWriter}. Bound: {@link #FULL_BYTES} and one line.
 */
final class LedgerLines {
    /** Size at which an entry is sent and the next one begun. Far below the limit of the topic. */
    static final int FULL_BYTES = 64 * 1024;

    /** Target states of the counts, in the order of the schema. */
    static final ItemState[] COLUMNS = Arrays.stream(ItemState.values()).skip(1).toArray(ItemState[]::new);

    private static final int MAX_VARINT_BYTES = 10;
    private static final byte[] PREFIX = ByteBuffer.allocate(SingleObject.PREFIX_BYTES).order(ByteOrder.LITTLE_ENDIAN)
            .put((byte) 0xC3).put((byte) 0x01).putLong(ItemSchemas.fingerprint(LedgerEntry.getClassSchema())).array();

    private byte[] bytes = new byte[1024];
    private int size;
    private int lines;

    boolean isEmpty() {
        return lines == 0;
    }

    boolean isFull() {
        return size >= FULL_BYTES;
    }

    /** Adds a line. The name is ASCII; the counts are by the ordinal of the target state. */
    void add(String tenant, ItemState from, long[] counts) {
        int length = tenant.length();
        // Two numbers of the line, and two that take() appends.
        int maxBytes = length + MAX_VARINT_BYTES * (4 + COLUMNS.length);
        if (bytes.length - size < maxBytes) {
            bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, size + maxBytes));
        }
        putLong(length);
        for (int i = 0; i < length; i++) {
            bytes[size++] = (byte) tenant.charAt(i);
        }
        // Avro encodes an enum as the index of its symbol; the symbols have the order of ItemState.
        putLong(from.ordinal());
        for (ItemState to : COLUMNS) {
            putLong(counts[to.ordinal()]);
        }
        lines++;
    }

    /** Returns an entry with all lines so far, and clears them. */
    byte[] take(long atMillis) {
        int body = size;
        putLong(atMillis);
        putLong(lines);
        byte[] entry = Arrays.copyOf(PREFIX, PREFIX.length + size + 1);
        System.arraycopy(bytes, body, entry, PREFIX.length, size - body);
        // The last byte stays zero: the empty block that ends an array.
        System.arraycopy(bytes, 0, entry, PREFIX.length + size - body, body);
        clear();
        return entry;
    }

    /** Removes all lines. */
    void clear() {
        size = 0;
        lines = 0;
    }

    /** Writes a zig-zag varint. */
    private void putLong(long value) {
        long rest = value << 1 ^ value >> 63;
        while ((rest & ~0x7fL) != 0) {
            bytes[size++] = (byte) (rest & 0x7f | 0x80);
            rest >>>= 7;
        }
        bytes[size++] = (byte) rest;
    }
}
