package io.spillway.sim.scenario;

import java.util.List;
import java.util.Optional;

/**
 * Traffic that was recorded, in memory: either every arrival or how many there were in each interval.
 *
 * <p>Arrivals take 16 bytes each; what holds them is not copied and must not be changed any more.
 */
public sealed interface RecordedTrace {
    /** The tenants by their number in the trace; unmodifiable. */
    List<String> tenants();

    /** What is known of a tenant's handling times. */
    Optional<Latency> latency(int tenant);

    /**
     * Every arrival by itself.
     *
     * @param tenants        by number
     * @param atMicros       since the start of the recording, not descending
     * @param tenant         the number of the tenant of each arrival
     * @param handlingMicros how long it was handled for, −1 where that is not known
     */
    record Rows(List<String> tenants, long[] atMicros, int[] tenant, int[] handlingMicros) implements RecordedTrace {
        public Rows {
            tenants = List.copyOf(tenants);
            if (atMicros.length != tenant.length || atMicros.length != handlingMicros.length) {
                throw new IllegalArgumentException("a trace with columns of different lengths");
            }
            for (int i = 1; i < atMicros.length; i++) {
                if (atMicros[i] < atMicros[i - 1]) {
                    throw new IllegalArgumentException("arrival " + i + ": must not be before the one before it");
                }
            }
        }

        @Override
        public Optional<Latency> latency(int tenant) {
            return Optional.empty();
        }
    }

    /**
     * Counts by interval: within an interval arrivals are spread at random.
     *
     * @param tenants        by number
     * @param counts         for each tenant, the arrivals in each interval
     * @param intervalMillis 1 or more
     * @param latencies      for each tenant what is known of its handling times
     */
    record Counts(List<String> tenants, int[][] counts, long intervalMillis, List<Optional<Latency>> latencies)
            implements RecordedTrace {
        public Counts {
            tenants = List.copyOf(tenants);
            latencies = List.copyOf(latencies);
            if (tenants.size() != counts.length || tenants.size() != latencies.size() || intervalMillis < 1) {
                throw new IllegalArgumentException("a trace of " + tenants.size() + " tenants with " + counts.length
                        + " rows of counts and " + latencies.size() + " latencies every " + intervalMillis + " ms");
            }
        }

        @Override
        public Optional<Latency> latency(int tenant) {
            return latencies.get(tenant);
        }
    }
}
