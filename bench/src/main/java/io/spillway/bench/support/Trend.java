package io.spillway.bench.support;

import java.util.List;

/**
 * Straight line through samples of a quantity (ordinary least squares), and whether it rises.
 *
 * <p>Samples that follow each other are alike: a purge or a collection shows in many of them. The standard error of
 * independent samples would be too small then, so it is multiplied by {@code sqrt((1 + r) / (1 - r))}, where r is the
 * correlation of a residual with the one before it.
 *
 * @param samples      how many
 * @param mean         of the samples; NaN without any
 * @param slopePerHour of the line; NaN with fewer than {@value #LEAST_SAMPLES} samples
 * @param errorPerHour standard error of the slope, 0 or more; NaN as the slope
 */
public record Trend(int samples, double mean, double slopePerHour, double errorPerHour) {
    /** With fewer samples the error itself is unknown. */
    public static final int LEAST_SAMPLES = 8;

    /** With three errors, one of 700 flat quantities seems to rise. */
    private static final double ERRORS = 3;
    /** Residuals of a line that were not computed exactly are not a trend. */
    private static final double ROUNDING = 1e-9;
    /** A higher correlation cannot be told from 1 in a few hundred samples. */
    private static final double MOST_CORRELATION = 0.98;

    /**
     * Value of a quantity at a time.
     *
     * @param hours since the start of the run
     */
    public record Sample(double hours, double value) {}

    /** What slope and error say. */
    public enum Verdict {
        /** The slope is not above zero by more than three standard errors; also when it falls. */
        FLAT,
        RISING,
        TOO_FEW_SAMPLES
    }

    /** Computes the line through the samples in the last three quarters of their time. The first may be warm-up. */
    public static Trend ofLastThreeQuarters(List<Sample> samples) {
        if (samples.isEmpty()) {
            return of(samples);
        }
        double first = samples.getFirst().hours();
        double from = first + (samples.getLast().hours() - first) / 4;
        return of(samples.stream().filter(sample -> sample.hours() >= from).toList());
    }

    /** Computes the line through samples in the order of their times. */
    static Trend of(List<Sample> samples) {
        int count = samples.size();
        double meanHours = samples.stream().mapToDouble(Sample::hours).average().orElse(Double.NaN);
        double mean = samples.stream().mapToDouble(Sample::value).average().orElse(Double.NaN);
        if (count < LEAST_SAMPLES) {
            return new Trend(count, mean, Double.NaN, Double.NaN);
        }
        double spread = 0;
        double together = 0;
        for (Sample sample : samples) {
            double hours = sample.hours() - meanHours;
            spread += hours * hours;
            together += hours * (sample.value() - mean);
        }
        double slope = together / spread;
        double squares = 0;
        double products = 0;
        double before = 0;
        for (Sample sample : samples) {
            double residual = sample.value() - mean - slope * (sample.hours() - meanHours);
            squares += residual * residual;
            products += residual * before;
            before = residual;
        }
        double correlation = squares == 0 ? 0 : Math.clamp(products / squares, 0, MOST_CORRELATION);
        double error = Math.sqrt(squares / (count - 2) / spread * (1 + correlation) / (1 - correlation));
        return new Trend(count, mean, slope, error);
    }

    /** Returns what the slope and its error say. */
    public Verdict verdict() {
        if (samples < LEAST_SAMPLES) {
            return Verdict.TOO_FEW_SAMPLES;
        }
        boolean isRounding = Math.abs(slopePerHour) <= ROUNDING * Math.max(1, Math.abs(mean));
        return !isRounding && slopePerHour > ERRORS * errorPerHour ? Verdict.RISING : Verdict.FLAT;
    }
}
