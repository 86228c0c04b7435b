package io.spillway.kafka.codec;

import io.spillway.core.item.ItemState;
import io.spillway.schema.LedgerEntry;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Lines of one entry of the ledger on their way to bytes: {@code LedgerEntry} in single-object encoding, written by hand
 * since a busy router writes a hundred thousand lines a second. A test holds it against Avro's own.
 *
 * <p>Owned by a {@link LedgerWriter}. Bound: {@link #FULL_BYTES} and one line.
 */
final class LedgerLines {
    /** What an entry may come to before it is sent and the next one begun: far less than a topic takes. */
    static final int FULL_BYTES = 64 * 1024;

    /** Where the counts go, in the order of the schema. */
    static final ItemState[] COLUMNS = {
        ItemState.HOT, ItemState.OVERFLOW, ItemState.AGED, ItemState.DELAY, ItemState.DEAD_LETTER, ItemState.DONE, ItemState.DROPPED
    };

    private static final int MAX_VARINT_BYTES = 10;
    private static final byte[] PREFIX = prefix();

    private byte[] bytes = new byte[1024];
    private int size;
    private int lines;

    boolean isEmpty() {
        return lines == 0;
    }

    boolean isFull() {
        return size >= FULL_BYTES;
    }

    /**
     * Adds a line.
     *
     * @param names  where the tenant's name is, ASCII
     * @param offset of its first character
     * @param length of the name
     * @param counts by the ordinal of the place the items went to
     * @param at     of the first of the counts
     */
    void add(byte[] names, int offset, int length, ItemState from, long[] counts, int at) {
        int most = length + MAX_VARINT_BYTES * (2 + COLUMNS.length);
        if (bytes.length - size < most) {
            bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, size + most));
        }
        putLong(length);
        System.arraycopy(names, offset, bytes, size, length);
        size += length;
        // An enum is the number of its symbol, and the symbols are in the order of the places that can be left.
        putLong(from.ordinal());
        for (ItemState to : COLUMNS) {
            putLong(counts[at + to.ordinal()]);
        }
        lines++;
    }

    /** The entry with all lines so far; they are forgotten. */
    byte[] take(long atMillis) {
        int body = size;
        byte[] content = Arrays.copyOf(bytes, body);
        size = 0;
        putLong(atMillis);
        putLong(lines);
        byte[] entry = new byte[PREFIX.length + size + body + 1];
        System.arraycopy(PREFIX, 0, entry, 0, PREFIX.length);
        System.arraycopy(bytes, 0, entry, PREFIX.length, size);
        // The block of no lines that ends an array is the zero that is there already.
        System.arraycopy(content, 0, entry, PREFIX.length + size, body);
        size = 0;
        lines = 0;
        return entry;
    }

    /** A zig-zag varint. */
    private void putLong(long value) {
        long rest = value << 1 ^ value >> 63;
        while ((rest & ~0x7fL) != 0) {
            bytes[size++] = (byte) (rest & 0x7f | 0x80);
            rest >>>= 7;
        }
        bytes[size++] = (byte) rest;
    }

    private static byte[] prefix() {
        return ByteBuffer.allocate(SingleObject.PREFIX_BYTES).order(ByteOrder.LITTLE_ENDIAN)
                .put((byte) 0xC3).put((byte) 0x01)
                .putLong(ItemSchemas.fingerprint(LedgerEntry.getClassSchema()))
                .array();
    }
}
