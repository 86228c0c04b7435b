package io.spillway.kafka.codec;

import java.nio.charset.StandardCharsets;

/**
 * Walks over Avro's binary encoding without building anything: it reads lengths and jumps. Every read is checked
 * against the end of the bytes, so that no length from outside is ever allocated or followed past it.
 *
 * <p>Owned by one call. The encoding is that of the Avro specification 1.12, "Binary Encoding".
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

    /** Where the next read starts. */
    int position() {
        return position;
    }

    int remaining() {
        return bytes.length - position;
    }

    /** Reads a zig-zag varint of at most ten bytes. Most have one: the others are left out of what is compiled into the caller. */
    long readLong() {
        if (position < bytes.length && bytes[position] >= 0) {
            int only = bytes[position++];
            return only >>> 1 ^ -(only & 1);
        }
        return readLongOfMoreBytes();
    }

    private long readLongOfMoreBytes() {
        long value = 0;
        for (int shift = 0; shift <= MAX_VARINT_SHIFT; shift += 7) {
            if (position == bytes.length) {
                throw UnreadableItem.malformed("it ends inside a number");
            }
            byte b = bytes[position++];
            value |= (long) (b & 0x7f) << shift;
            if (b >= 0) {
                return (value >>> 1) ^ -(value & 1);
            }
        }
        throw UnreadableItem.malformed("a number has more than ten bytes");
    }

    /** Reads an int or a union's branch: a zig-zag varint of at most five bytes, as Avro's own decoder insists. */
    int readInt() {
        int start = position;
        long value = readLong();
        if (position - start > MAX_INT_BYTES || value != (int) value) {
            throw UnreadableItem.malformed("a number is no int");
        }
        return (int) value;
    }

    /** Reads the length of a string or of bytes, and checks that so many are there. */
    int readLength() {
        long length = readLong();
        if (length < 0 || length > remaining()) {
            throw UnreadableItem.malformed("a length of " + length + " where " + remaining() + " bytes are left");
        }
        return (int) length;
    }

    /** Jumps over bytes that {@link #readLength} has found to be there. */
    void skip(int length) {
        position += length;
    }

    void skipFixed(int length) {
        if (length > remaining()) {
            throw UnreadableItem.malformed("it ends inside a value of " + length + " bytes");
        }
        position += length;
    }

    /** Text of characters that were checked to be ASCII. */
    String ascii(int offset, int length) {
        return new String(bytes, offset, length, StandardCharsets.ISO_8859_1);
    }
}
