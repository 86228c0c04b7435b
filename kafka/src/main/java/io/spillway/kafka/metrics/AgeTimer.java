package io.spillway.kafka.metrics;

import io.micrometer.core.instrument.Timer;
import java.time.Duration;

/** Factory of the histograms of ages, which all have the same buckets. */
public final class AgeTimer {
    private static final Duration[] AGES = {
        Duration.ofMillis(10), Duration.ofMillis(25), Duration.ofMillis(50), Duration.ofMillis(100),
        Duration.ofMillis(250), Duration.ofMillis(500), Duration.ofSeconds(1), Duration.ofMillis(2_500),
        Duration.ofSeconds(5), Duration.ofSeconds(10), Duration.ofSeconds(30), Duration.ofMinutes(1),
        Duration.ofMinutes(5), Duration.ofMinutes(15), Duration.ofHours(1), Duration.ofHours(6), Duration.ofDays(1)
    };

    private AgeTimer() {}

    /** Returns the builder of a histogram. */
    public static Timer.Builder of(String name, String description) {
        return Timer.builder(name).description(description).serviceLevelObjectives(AGES);
    }
}
