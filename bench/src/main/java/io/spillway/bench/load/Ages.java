package io.spillway.bench.load;

import org.HdrHistogram.Histogram;

/** Ages of first attempts, in milliseconds. */
public record Ages(long items, double p50, double p99, double max) {
    private static final double MILLI = 1e6;

    public static Ages of(Histogram nanos) {
        return new Ages(
                nanos.getTotalCount(),
                nanos.getValueAtPercentile(50) / MILLI,
                nanos.getValueAtPercentile(99) / MILLI,
                nanos.getMaxValue() / MILLI);
    }

    @Override
    public String toString() {
        return "p50 %.1f p99 %.1f max %.1f ms".formatted(p50, p99, max);
    }
}
