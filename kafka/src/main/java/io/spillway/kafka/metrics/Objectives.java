package io.spillway.kafka.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Counters of the items that have ended of tenants with an objective ({@code doneWithin}), by whether they met it. What
 * is swept, cancelled or a duplicate needs no handling, and does not count. Thread-safe.
 */
public final class Objectives {
    /** How an item ended. Router and worker share a registry, and none of these. */
    public enum Result {
        /** Done in time. */
        MET,
        /** Done too late. */
        LATE,
        /** A dead letter, or dropped, by the worker. */
        FAILED,
        /** A dead letter, or dropped, by the router. */
        ENDED
    }

    private final TenantMeters<Map<Result, Counter>> counters;

    /**
     * Registers the counters of the other tenants.
     *
     * @param tenants most tenants with series of their own
     * @param own     results that this role counts
     */
    public Objectives(MeterRegistry registry, int tenants, Set<Result> own) {
        counters = new TenantMeters<>(tenants, tenant -> {
            Map<Result, Counter> byResult = new EnumMap<>(Result.class);
            own.forEach(result -> byResult.put(result, Counter.builder("spillway.objective.items")
                    .description("Items that ended, of tenants with doneWithin, by whether they met it")
                    .tags("tenant", tenant, "result", result.name().toLowerCase(Locale.ROOT)).register(registry)));
            return byResult;
        }, byResult -> byResult.values().forEach(registry::remove));
    }

    /**
     * Counts an item that is done.
     *
     * @param withinMillis objective of its tenant; {@link Long#MAX_VALUE} for none
     * @param ageMillis    since it was enqueued or due
     */
    public void done(String tenant, long withinMillis, long ageMillis) {
        ended(tenant, withinMillis, ageMillis <= withinMillis ? Result.MET : Result.LATE);
    }

    /** Counts an item that has ended; parameters as in {@link #done}. */
    public void ended(String tenant, long withinMillis, Result result) {
        if (withinMillis != Long.MAX_VALUE) {
            counters.of(tenant).get(result).increment();
        }
    }

    /** Gives the series by tenant to the busiest tenants; see {@link TenantMeters#elect}. */
    public void elect() {
        counters.elect();
    }
}
