package io.spillway.core.progress;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Ascending offsets as the distances between them, each a {@link Varint}. A distance is never 0, so 0 is free to say
 * "the distance before this, as many times more as the next number says": what a partition has unfinished is mostly a
 * long piece that was read and not begun, whose distances are all 1, or 2 where every item was a transaction.
 */
final class OffsetGaps {
    private static final long REPEAT = 0;

    private OffsetGaps() {}

    /**
     * Writes the distances after the first offset, as many as there is room for.
     *
     * @param offsets at least one
     * @param most    offsets to write at most, 1 or more, the first counted
     * @param out     filled up to its limit at most
     * @return how many of the offsets are said, 1 to their number: the first is said by whoever calls
     */
    static int write(OffsetList offsets, int most, ByteBuffer out) {
        int end = Math.min(offsets.size(), most);
        int said = 1;
        while (said < end) {
            long distance = offsets.at(said) - offsets.at(said - 1);
            int times = timesInARow(offsets, said, end, distance);
            int repeatedSize = Varint.size(distance) + Varint.size(REPEAT) + Varint.size(times - 1);
            if (repeatedSize >= (long) times * Varint.size(distance)) {
                times = 1;
                repeatedSize = Varint.size(distance);
            }
            if (repeatedSize > out.remaining()) {
                return said;
            }
            Varint.write(distance, out);
            if (times > 1) {
                Varint.write(REPEAT, out);
                Varint.write(times - 1, out);
            }
            said += times;
        }
        return said;
    }

    private static int timesInARow(OffsetList offsets, int from, int end, long distance) {
        int next = from + 1;
        while (next < end && offsets.at(next) - offsets.at(next - 1) == distance) {
            next++;
        }
        return next - from;
    }

    /**
     * Reads what {@link #write} wrote, to the end of the bytes.
     *
     * @param first the first offset
     * @param limit all offsets must be below it
     * @param most  offsets that are believed, the first counted: a few bytes can ask for any number
     * @throws IllegalArgumentException when the bytes are not distances, or ask for more than allowed
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
                throw new IllegalArgumentException("no distance to repeat, or too many offsets");
            }
            if (count + times > offsets.length) {
                offsets = Arrays.copyOf(offsets, (int) Math.min(most, 2 * (count + times)));
            }
            for (int i = 0; i < times; i++) {
                if (distance >= limit - offsets[count - 1]) {
                    throw new IllegalArgumentException("an offset beyond what was read");
                }
                offsets[count] = offsets[count - 1] + distance;
                count++;
            }
        }
        return OffsetList.ofOwned(Arrays.copyOf(offsets, count));
    }

    /**
     * Most bytes that {@link #write} can take for so many offsets over so wide a span, wherever in it they lie. A
     * distance takes one byte, one more if it is 2⁷ or above, one more from 2¹⁴ on, and so forth, and in a span there
     * is room for span/2⁷, span/2¹⁴ … such distances.
     *
     * @param count offsets, 0 or more
     * @param span  the last minus the first, 0 or more
     */
    static long mostBytes(int count, long span) {
        long bytes = 0;
        for (long wide = span; wide > 0; wide >>>= 7) {
            bytes += Math.min(count, wide);
        }
        return bytes;
    }
}
