package io.spillway.core.sharding;

/** How far counts are from what was expected of them. */
final class ChiSquare {
    private ChiSquare() {}

    /** The sum of (observed − expected)² / expected. */
    static double of(long[] observed, double[] expected) {
        double sum = 0;
        for (int i = 0; i < observed.length; i++) {
            sum += Math.pow(observed[i] - expected[i], 2) / expected[i];
        }
        return sum;
    }

    /** What it exceeds once in a thousand times (Wilson and Hilferty 1931; 3.09 standard deviations). */
    static double critical(int degreesOfFreedom) {
        double step = 2.0 / (9 * degreesOfFreedom);
        return degreesOfFreedom * Math.pow(1 - step + 3.0902 * Math.sqrt(step), 3);
    }
}
