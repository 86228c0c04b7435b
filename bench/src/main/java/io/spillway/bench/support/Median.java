package io.spillway.bench.support;

import java.util.List;

/** The middle of a few figures. */
public final class Median {
    private Median() {}

    public static double of(List<Double> figures) {
        if (figures.isEmpty()) {
            return Double.NaN;
        }
        List<Double> sorted = figures.stream().sorted().toList();
        int middle = sorted.size() / 2;
        return sorted.size() % 2 == 1 ? sorted.get(middle) : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
    }
}
