package io.spillway.sim;

import io.spillway.sim.scenario.SimulatedTime;

/**
 * Histogram of waits in buckets of 1.6% width: 64 per doubling, from a microsecond to a year, as in HdrHistogram (G.
 * Tene). The maximum is exact.
 *
 * <p>Owner: the {@link Tally}. Bound: 2,944 numbers.
 */
final class AgeHistogram {
    private static final int SUB_BITS = 6;
    private static final int SUBS = 1 << SUB_BITS;
    private static final int DOUBLINGS = 45;
    private static final long NANOS_PER_MICRO = 1_000;

    private final long[] buckets = new long[(DOUBLINGS + 1) * SUBS];
    private long count;
    private long maxNanos;

    void add(long nanos) {
        count++;
        maxNanos = Math.max(maxNanos, nanos);
        buckets[bucket(nanos / NANOS_PER_MICRO)]++;
    }

    long count() {
        return count;
    }

    double maxMillis() {
        return (double) maxNanos / SimulatedTime.NANOS_PER_MILLI;
    }

    /** Returns the wait that this share did not exceed, milliseconds; 0 when nothing was counted. */
    double percentileMillis(double share) {
        long rank = Math.max(1, (long) Math.ceil(share * count));
        long seen = 0;
        for (int i = 0; i < buckets.length; i++) {
            seen += buckets[i];
            if (seen >= rank) {
                return Math.min(maxMillis(), middle(i) / 1_000.0);
            }
        }
        return 0;
    }

    private static int bucket(long micros) {
        if (micros < SUBS) {
            return (int) Math.max(0, micros);
        }
        int shift = Long.SIZE - 1 - Long.numberOfLeadingZeros(micros) - SUB_BITS;
        return Math.min((DOUBLINGS + 1) * SUBS - 1, (shift + 1) * SUBS + (int) (micros >>> shift) - SUBS);
    }

    private static double middle(int bucket) {
        if (bucket < SUBS) {
            return bucket;
        }
        int shift = bucket / SUBS - 1;
        return (bucket % SUBS + SUBS + 0.5) * (1L << shift);
    }
}
