package io.spillway.core.sharding;

/** Chi-square statistic of observed counts. */
final class ChiSquare {
    private ChiSquare() {}

    /** Returns the sum of (observed − expected)² / expected. */
    static double of(long[] observed, double[] expected) {
        double sum = 0;
        for (int i = 0; i < observed.length; i++) {
            sum += Math.pow(observed[i] - expected[i], 2) / expected[i];
        }
        return sum;
    }

    /** Returns the critical value for a probability of 0.001 (Wilson and Hilferty 1931; 3.09 standard deviations). */
    static double critical(int degreesOfFreedom) {
        double step = 2.0 / (9 * degreesOfFreedom);
        return degreesOfFreedom * Math.pow(1 - step + 3.0902 * Math.sqrt(step), 3);
    }
}
