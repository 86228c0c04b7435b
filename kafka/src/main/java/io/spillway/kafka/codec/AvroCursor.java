package io.spillway.kafka.codec;

import java.nio.charset.StandardCharsets;

/**
 * Cursor over Avro's binary encoding (specification 1.12, "Binary Encoding") that reads lengths and skips values
 * without creating objects. Every read is checked against the end of the bytes, so no length from outside is allocated
 * or followed past it.
 *
 * <p>Owner: one call.
 */
final class AvroCursor {
    private static final int MAX_VARINT_SHIFT = 63;
    private static final int MAX_INT_BYTES = 5;

    private final byte[] bytes;
    private int position;

    AvroCursor(byte[] bytes, int position) {
        this.bytes = bytes;
        this.position = position;
    }

    int position() {
        return position;
    }

    int remaining() {
        return bytes.length - position;
    }

    /** Reads a zig-zag varint of at most ten bytes. Longer than one byte is rare, and kept out of the inlined code. */
    long readLong() {
        if (position < bytes.length && bytes[position] >= 0) {
            int only = bytes[position++];
            return only >>> 1 ^ -(only & 1);
        }
        return readLongOfSeveralBytes();
    }

    private long readLongOfSeveralBytes() {
        long value = 0;
        for (int shift = 0; shift <= MAX_VARINT_SHIFT; shift += 7) {
            if (position == bytes.length) {
                throw UnreadableItem.malformed("the encoding ends inside a number");
            }
            byte b = bytes[position++];
            value |= (long) (b & 0x7f) << shift;
            if (b >= 0) {
                return (value >>> 1) ^ -(value & 1);
            }
        }
        throw UnreadableItem.malformed("a number has more than ten bytes");
    }

    /** Reads an int or a union's branch: a zig-zag varint of at most five bytes, as Avro's own decoder requires. */
    int readInt() {
        int start = position;
        long value = readLong();
        if (position - start > MAX_INT_BYTES || value != (int) value) {
            throw UnreadableItem.malformed("a number is not a 32-bit integer");
        }
        return (int) value;
    }

    /** Reads the length of a string or of bytes, and checks that as many bytes follow. */
    int readLength() {
        long length = readLong();
        if (length < 0 || length > remaining()) {
            throw UnreadableItem.malformed("invalid length " + length + ": " + remaining() + " bytes are left");
        }
        return (int) length;
    }

    /** Skips bytes; the length must come from {@link #readLength}. */
    void skip(int length) {
        position += length;
    }

    void skipFixed(int length) {
        if (length > remaining()) {
            throw UnreadableItem.malformed("the encoding ends inside a value of " + length + " bytes");
        }
        position += length;
    }

    /** Requires that all bytes are read. */
    void requireEnd() {
        if (remaining() != 0) {
            throw UnreadableItem.malformed(remaining() + " bytes are left over after the last field");
        }
    }

    /** Returns text that was checked to be ASCII. */
    String ascii(int offset, int length) {
        return new String(bytes, offset, length, StandardCharsets.ISO_8859_1);
    }
}
