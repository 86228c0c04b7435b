package io.spillway;

/**
 * Number of repetitions in tests that take seconds each: kills of a process, seeds of a whole scenario. Small by
 * default, so that {@code mvn verify} stays short; the full number with {@code -Pguarantees}.
 */
public final class Repetitions {
    /** True when the Maven profile {@code guarantees} is active. */
    public static final boolean FULL = Boolean.getBoolean("spillway.test.guarantees");

    private Repetitions() {}

    /** Returns {@code few} by default and {@code full} with {@code -Pguarantees}. */
    public static int of(int few, int full) {
        return FULL ? full : few;
    }
}
