package io.spillway.core.scheduling;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * Share of the time, of about the last minute, for which each concurrency limit has held items back: an exponential
 * average of samples that are taken once a second.
 *
 * <p>Not thread-safe. Bound: {@value #MOST} limits; a further one is not measured before another is forgotten.
 */
public final class ThrottledTime {
    private static final int MOST = 10_000;
    private static final double WEIGHT = 1.0 / 60;
    private static final double LEAST = 0.01;

    private final Map<String, Double> shares = new HashMap<>();

    /** Adds a sample: the keys of the limits that hold items back now. */
    public void sample(Set<String> atCap) {
        shares.replaceAll((key, share) -> share * (1 - WEIGHT));
        shares.values().removeIf(share -> share < LEAST);
        for (String key : atCap) {
            if (shares.size() < MOST || shares.containsKey(key)) {
                shares.merge(key, WEIGHT, Double::sum);
            }
        }
    }

    /** Returns the share of a limit, 0 to 1. */
    public double of(String key) {
        return shares.getOrDefault(key, 0.0);
    }
}
