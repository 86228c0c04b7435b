package io.spillway.core.progress;

import java.nio.ByteBuffer;

/** Variable-length encoding of numbers of 0 or more in groups of seven bits, the lowest first. */
public final class Varint {
    /** Most bytes of a number: 63 bits in groups of seven. */
    static final int MAX_BYTES = 9;

    private Varint() {}

    /** Returns the bytes that {@link #write} takes, 1 to 9. */
    public static int size(long value) {
        return value == 0 ? 1 : (63 - Long.numberOfLeadingZeros(value)) / 7 + 1;
    }

    /** Writes a number of 0 or more; the buffer must have room. */
    public static void write(long value, ByteBuffer out) {
        long rest = value;
        while (rest >= 0x80) {
            out.put((byte) (rest | 0x80));
            rest >>>= 7;
        }
        out.put((byte) rest);
    }

    /**
     * Reads a number of 0 or more.
     *
     * @throws IllegalArgumentException when the bytes end too soon, or it exceeds 63 bits
     */
    public static long read(ByteBuffer in) {
        long value = 0;
        for (int i = 0; i < MAX_BYTES; i++) {
            if (!in.hasRemaining()) {
                throw new IllegalArgumentException("a number is truncated");
            }
            byte next = in.get();
            value |= (next & 0x7fL) << (7 * i);
            if (next >= 0) {
                return value;
            }
        }
        throw new IllegalArgumentException("a number exceeds 63 bits");
    }
}
