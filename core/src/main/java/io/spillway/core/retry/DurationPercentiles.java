package io.spillway.core.retry;

import java.util.Arrays;

/**
 * Percentiles of the recent durations of one tenant's successful attempts: a histogram with logarithmic buckets, as in
 * HdrHistogram (G. Tene), whose counts decay exponentially by the number of samples (forward decay: Cormode,
 * Shkapenyuk, Srivastava and Xu, "Forward Decay", 2009).
 *
 * <p>Buckets are at most 6.25% wide above 1 ms and 0.066 ms wide below. A percentile is the upper end of its bucket, so
 * it is never too low. Durations above 39 hours count as 39 hours.
 *
 * <p>Not thread-safe. Owner: {@link TenantDurations}. Bound: 448 numbers of 4 bytes; the array ends at the longest
 * duration so far: 600 bytes up to 300 ms, 900 bytes up to 10 s, 1,300 bytes up to 10 min.
 */
final class DurationPercentiles {
    /** Effective number of samples: a p99.9 needs several samples above it, and 8 of these are. */
    static final int WINDOW = 8_192;

    private static final int UNIT_SHIFT = 16;
    private static final int SUB_BITS = 4;
    private static final int SUBS = 1 << SUB_BITS;
    private static final int BUCKETS = 28 * SUBS;
    private static final int GROWTH = 4 * SUBS;
    private static final double NANOS_PER_MILLI = 1e6;
    private static final double GROWTH_PER_SAMPLE = 1 + 1.0 / WINDOW;
    /** Far below the largest float, 3e38, with room for any weight. */
    private static final double MAX_UNIT = 1e30;

    /** Weights by bucket. A new sample weighs {@link #unit}, which grows instead of all others becoming smaller. */
    private float[] buckets = new float[2 * GROWTH];
    private double unit = 1;
    private double sum;

    /**
     * Adds a duration.
     *
     * @param nanos  0 or more; less counts as 0
     * @param weight samples that it stands for, 1 or more
     */
    void add(long nanos, double weight) {
        unit *= GROWTH_PER_SAMPLE;
        int bucket = bucket(nanos);
        if (bucket >= buckets.length) {
            buckets = Arrays.copyOf(buckets, Math.min(BUCKETS, (bucket / GROWTH + 1) * GROWTH));
        }
        buckets[bucket] += (float) (unit * weight);
        sum += unit * weight;
        if (unit > MAX_UNIT) {
            scale(1 / unit, 1);
        }
    }

    /** Returns the number of samples that count, 0 to about {@link #WINDOW} and the weights of the latest. */
    double samples() {
        // Of a constant rate of samples, sum / unit approaches the window from below.
        return sum / unit;
    }

    /** Reduces the weight of all samples so far, so that together they count as at most this many. */
    void decayTo(double samples) {
        if (samples() > samples) {
            scale(samples / samples(), unit);
        }
    }

    /**
     * Returns the duration that this share of the samples does not exceed, in milliseconds; 0 without samples.
     *
     * @param share 0 to 1
     */
    double millis(double share) {
        double above = (1 - share) * sum;
        double seen = 0;
        for (int i = buckets.length - 1; i >= 0; i--) {
            seen += buckets[i];
            // Rounding must not turn the largest of 1,000 samples into the one below it.
            if (buckets[i] > 0 && seen > above * (1 - 1e-4)) {
                return upperEndMillis(i);
            }
        }
        return 0;
    }

    private void scale(double factor, double newUnit) {
        sum = 0;
        for (int i = 0; i < buckets.length; i++) {
            buckets[i] = (float) (buckets[i] * factor);
            sum += buckets[i];
        }
        unit = newUnit;
    }

    private static int bucket(long nanos) {
        long units = nanos >>> UNIT_SHIFT;
        if (nanos <= 0 || units < SUBS) {
            return nanos <= 0 ? 0 : (int) units;
        }
        int shift = Long.SIZE - 1 - Long.numberOfLeadingZeros(units) - SUB_BITS;
        return Math.min(BUCKETS - 1, shift * SUBS + (int) (units >>> shift));
    }

    private static double upperEndMillis(int bucket) {
        int shift = Math.max(0, bucket / SUBS - 1);
        long endUnits = (long) (bucket - shift * SUBS + 1) << shift;
        return (endUnits << UNIT_SHIFT) / NANOS_PER_MILLI;
    }
}
