package io.spillway.core.scheduling;

import java.util.Arrays;

/**
 * Attempts in borrowed slots, and how many of them are expected to end soon, by the average duration of earlier ones.
 *
 * <p>An attempt without an earlier one to compare with is not expected to end, and neither is one that has run for
 * twice its expected duration and 100 ms: its destination may hang.
 *
 * <p>Time alone changes the number, so all attempts are counted again once in 5 ms and 200 ns for each slot, which is
 * about one percent of a core at any number of slots. In between, starts and ends adjust it.
 *
 * <p>Owner: the {@link SlotPool}. Bound: one entry for each slot.
 */
final class ExpectedEnds {
    /** Entry of an attempt that is not among them. */
    static final int NONE = -1;

    private static final double NANOS_PER_MILLI = 1e6;
    private static final double LATE_MILLIS = 100;
    private static final long COUNT_NANOS = 5_000_000;
    private static final long COUNT_NANOS_PER_SLOT = 200;

    private final long countedForNanos;
    private final long[] startedNanos;
    /** By entry: the expected duration, infinite when it is unknown and for unused entries. */
    private final double[] expectedMillis;
    private final boolean[] isSoon;
    /** Stack of the unused entries. */
    private final int[] unused;
    private int unusedCount;
    private int soon;
    private long countedNanos;

    ExpectedEnds(int slots) {
        this.countedForNanos = COUNT_NANOS + COUNT_NANOS_PER_SLOT * slots;
        this.startedNanos = new long[slots];
        this.expectedMillis = new double[slots];
        Arrays.fill(expectedMillis, Double.POSITIVE_INFINITY);
        this.isSoon = new boolean[slots];
        this.unused = new int[slots];
        Arrays.setAll(unused, i -> slots - 1 - i);
        this.unusedCount = slots;
    }

    /**
     * Adds an attempt and returns its entry, which must be passed to {@link #ended} once. There are never more attempts
     * than slots.
     *
     * @param millis expected duration; infinite when it is unknown
     */
    int started(double millis, double soonMillis, long nowNanos) {
        int entry = unused[--unusedCount];
        startedNanos[entry] = nowNanos;
        expectedMillis[entry] = millis;
        if (millis <= soonMillis) {
            isSoon[entry] = true;
            soon++;
        }
        return entry;
    }

    /** Removes an attempt; {@link #NONE} for none. */
    void ended(int entry) {
        if (entry == NONE) {
            return;
        }
        if (isSoon[entry]) {
            isSoon[entry] = false;
            soon--;
        }
        expectedMillis[entry] = Double.POSITIVE_INFINITY;
        unused[unusedCount++] = entry;
    }

    /** Returns how many attempts are expected to end within this time. */
    int soon(double soonMillis, long nowNanos) {
        long sinceNanos = nowNanos - countedNanos;
        if (sinceNanos >= countedForNanos || sinceNanos < 0) {
            count(soonMillis, nowNanos);
        }
        return soon;
    }

    private void count(double soonMillis, long nowNanos) {
        countedNanos = nowNanos;
        soon = 0;
        for (int i = 0; i < expectedMillis.length; i++) {
            double millis = expectedMillis[i];
            double ranMillis = (nowNanos - startedNanos[i]) / NANOS_PER_MILLI;
            isSoon[i] = ranMillis >= millis - soonMillis && ranMillis < 2 * millis + LATE_MILLIS;
            soon += isSoon[i] ? 1 : 0;
        }
    }
}
