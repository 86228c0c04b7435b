package io.spillway.sim.scenario;

import java.util.List;
import java.util.Optional;

/**
 * Recorded traffic in memory: every arrival, or the number in each interval. Arrivals take 20 bytes each; the arrays
 * are not copied and must not be changed.
 */
public sealed interface RecordedTrace {
    /** Returns the tenants by their number in the trace; unmodifiable. */
    List<String> tenants();

    /** Returns the recorded handling times of a tenant, if any. */
    default Optional<Latency> latency(int tenant) {
        return Optional.empty();
    }

    /**
     * Single arrivals.
     *
     * @param tenants        by number
     * @param atMicros       since the start of the recording, not descending
     * @param tenant         number of the tenant of each arrival
     * @param handlingMicros handling time of each arrival, −1 when it is unknown
     */
    record Rows(List<String> tenants, long[] atMicros, int[] tenant, long[] handlingMicros) implements RecordedTrace {
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
    }

    /**
     * Counts by interval, with arrivals spread at random within each.
     *
     * @param tenants        by number
     * @param counts         for each tenant, the arrivals in each interval
     * @param intervalMillis 1 or more
     * @param latencies      for each tenant the handling times, if known
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
