package io.spillway.kafka.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.spillway.core.item.DeadReason;
import io.spillway.core.item.DropReason;
import java.util.EnumMap;
import java.util.Map;

/**
 * Counters of items that left the queue without success: dropped by a rule, or dead-lettered. All roles of a process
 * share these series, which exist from the start. Thread-safe.
 */
public final class Departures {
    private final Map<DropReason, Counter> dropped = new EnumMap<>(DropReason.class);
    private final Map<DeadReason, Counter> deadLettered = new EnumMap<>(DeadReason.class);

    /** Registers the counters, or finds those that another role of this process has registered. */
    public Departures(MeterRegistry registry) {
        for (DropReason reason : DropReason.values()) {
            dropped.put(reason, counter("spillway.dropped", "Items dropped by rule", reason.label(), registry));
        }
        for (DeadReason reason : DeadReason.values()) {
            deadLettered.put(reason, counter(
                    "spillway.dead_lettered", "Items put into the dead-letter lane", reason.label(), registry));
        }
    }

    private static Counter counter(String name, String description, String reason, MeterRegistry registry) {
        return Counter.builder(name).description(description).tag("reason", reason).register(registry);
    }

    /** Counts one dropped item. */
    public void dropped(DropReason reason) {
        dropped.get(reason).increment();
    }

    /** Counts one new dead letter. */
    public void deadLettered(DeadReason reason) {
        deadLettered.get(reason).increment();
    }
}
