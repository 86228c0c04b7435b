package io.spillway.core.overload;

/**
 * Times at which the end of a partition was first seen beyond an offset. They give a lower bound for how long an unread
 * record has waited, without reading it, and whatever times producers claim.
 *
 * <p>Owner: one thread. Bound: {@value #MOST} times; beyond it the result is smaller, but never too large.
 */
public final class ArrivalHistory {
    private static final int MOST = 64;

    /** Ascending; a record below the end of an entry, and not below that of the one before, was seen at its time. */
    private final long[] ends = new long[MOST];
    private final long[] seenMillis = new long[MOST];
    private int size;
    /** No record of the first entry was seen before this time. */
    private long beforeFirstMillis;

    /**
     * Records the offsets of a partition, and returns for how many milliseconds its next unread record has certainly
     * waited: 0 if there is none, or it was not there at the last call.
     *
     * @param position  offset of the next record to read
     * @param end       offset after the last record
     * @param nowMillis of a monotonic clock
     */
    public long waitedMillis(long position, long end, long nowMillis) {
        int read = 0;
        while (read < size && ends[read] <= position) {
            read++;
        }
        if (read > 0) {
            beforeFirstMillis = seenMillis[read - 1];
            remove(0, read);
        }
        if (end > position && (size == 0 || end > ends[size - 1])) {
            if (size == 0) {
                beforeFirstMillis = nowMillis;
            }
            if (size == MOST) {
                thin(nowMillis);
            }
            ends[size] = end;
            seenMillis[size++] = nowMillis;
        }
        return size == 0 ? 0 : Math.max(0, nowMillis - seenMillis[0]);
    }

    /**
     * Removes the entry that matters least for its age. Its records count as seen with the next entry, also those of
     * entries removed before, which were seen after the one before it.
     */
    private void thin(long nowMillis) {
        int least = 0;
        double leastError = Double.MAX_VALUE;
        for (int i = 0; i < size - 1; i++) {
            long firstMillis = i == 0 ? beforeFirstMillis : seenMillis[i - 1];
            double error = (double) (seenMillis[i + 1] - firstMillis) / Math.max(1, nowMillis - firstMillis);
            if (error < leastError) {
                leastError = error;
                least = i;
            }
        }
        remove(least, 1);
    }

    private void remove(int from, int count) {
        size -= count;
        System.arraycopy(ends, from + count, ends, from, size - from);
        System.arraycopy(seenMillis, from + count, seenMillis, from, size - from);
    }
}
