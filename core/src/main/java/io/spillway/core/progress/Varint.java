package io.spillway.core.progress;

import java.nio.ByteBuffer;

/** Numbers of 0 or more in groups of seven bits, the lowest first, each byte but the last with its high bit set. */
final class Varint {
    /** Most bytes of a number: 63 bits in groups of seven. */
    static final int MAX_BYTES = 9;

    private Varint() {}

    /** Bytes that {@link #write} takes, 1 to {@link #MAX_BYTES}. */
    static int size(long value) {
        return value == 0 ? 1 : (63 - Long.numberOfLeadingZeros(value)) / 7 + 1;
    }

    /** Writes a number of 0 or more; there is room for it. */
    static void write(long value, ByteBuffer out) {
        long rest = value;
        while (rest >= 0x80) {
            out.put((byte) (rest | 0x80));
            rest >>>= 7;
        }
        out.put((byte) rest);
    }

    /**
     * Reads a number.
     *
     * @return 0 or more
     * @throws IllegalArgumentException when the bytes end too soon or the number is over 63 bits
     */
    static long read(ByteBuffer in) {
        long value = 0;
        for (int i = 0; i < MAX_BYTES; i++) {
            if (!in.hasRemaining()) {
                throw new IllegalArgumentException("a number is cut off");
            }
            byte next = in.get();
            value |= (next & 0x7fL) << (7 * i);
            if (next >= 0) {
                return value;
            }
        }
        throw new IllegalArgumentException("a number of more than 63 bits");
    }
}
