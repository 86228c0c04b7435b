package io.spillway.core.progress;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Encoding of ascending offsets as distances, each a {@link Varint}. A distance is never 0, so 0 means "repeat the
 * previous distance", followed by a count: most unfinished offsets are a long run of read and unstarted records, whose
 * distances are all 1, or 2 where every item was a transaction.
 */
final class OffsetGaps {
    private static final long REPEAT = 0;

    private OffsetGaps() {}

    /**
     * Writes the distances after the first offset, as many as fit, and returns how many offsets are encoded; the caller
     * encodes the first.
     *
     * @param offsets at least one
     * @param most    most offsets to write, 1 or more, the first counted
     */
    static int write(OffsetList offsets, int most, ByteBuffer out) {
        int end = Math.min(offsets.size(), most);
        int written = 1;
        while (written < end) {
            long distance = offsets.at(written) - offsets.at(written - 1);
            int times = repetitions(offsets, written, end, distance);
            int repeatedSize = Varint.size(distance) + Varint.size(REPEAT) + Varint.size(times - 1);
            if (repeatedSize >= (long) times * Varint.size(distance)) {
                times = 1;
                repeatedSize = Varint.size(distance);
            }
            if (repeatedSize > out.remaining()) {
                return written;
            }
            Varint.write(distance, out);
            if (times > 1) {
                Varint.write(REPEAT, out);
                Varint.write(times - 1, out);
            }
            written += times;
        }
        return written;
    }

    private static int repetitions(OffsetList offsets, int from, int end, long distance) {
        int next = from + 1;
        while (next < end && offsets.at(next) - offsets.at(next - 1) == distance) {
            next++;
        }
        return next - from;
    }

    /**
     * Reads the output of {@link #write}, to the end of the bytes.
     *
     * @param limit all offsets must be below it
     * @param most  most offsets to accept, the first counted: a few bytes can claim any number
     * @throws IllegalArgumentException when the bytes are not distances, or exceed a limit
     */
    static OffsetList read(ByteBuffer in, long first, long limit, int most) {
        long[] offsets = new long[Math.min(most, 2 * in.remaining() + 1)];
        offsets[0] = first;
        int count = 1;
        long distance = 0;
        while (in.hasRemaining()) {
            long token = Varint.read(in);
            long times = token == REPEAT ? Varint.read(in) : 1;
            distance = token == REPEAT ? distance : token;
            if (distance == 0 || times > most - count) {
                throw new IllegalArgumentException("no distance to repeat, or more than " + most + " offsets");
            }
            if (count + times > offsets.length) {
                offsets = Arrays.copyOf(offsets, (int) Math.min(most, 2 * (count + times)));
            }
            for (int i = 0; i < times; i++) {
                if (distance >= limit - offsets[count - 1]) {
                    throw new IllegalArgumentException("an offset is not below " + limit);
                }
                offsets[count] = offsets[count - 1] + distance;
                count++;
            }
        }
        return OffsetList.ofOwned(Arrays.copyOf(offsets, count));
    }

    /** Returns the bytes of the distances without repetitions, the most that {@link #write} takes for them. */
    static long bytes(OffsetList offsets) {
        long bytes = 0;
        for (int i = 1; i < offsets.size(); i++) {
            bytes += Varint.size(offsets.at(i) - offsets.at(i - 1));
        }
        return bytes;
    }

    /**
     * Returns the most bytes that {@link #write} can take for a number of offsets over a span (the last minus the
     * first). A distance takes one byte, and one more from each of 2⁷, 2¹⁴ and so on; a span has room for span/2⁷,
     * span/2¹⁴ … such distances.
     */
    static long mostBytes(int count, long span) {
        long bytes = 0;
        for (long wide = span; wide > 0; wide >>>= 7) {
            bytes += Math.min(count, wide);
        }
        return bytes;
    }
}
