package io.spillway.router.delay;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.spillway.core.retry.RetryKey;
import io.spillway.kafka.metrics.TenantMeters;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * Gauges of parked items of one kind in this process: for the tenants with most of them, and for all others together.
 *
 * <p>Thread-safe. Bound: the tenants with parked items, which the stages limit, and the configured number of gauges.
 */
final class ParkedMeters implements ParkedItems.Counts {
    private final Map<String, Long> parked = new ConcurrentHashMap<>();
    private final LongAdder all = new LongAdder();
    private final TenantMeters<Gauge> meters;

    /** Registers the gauges; at most this number of tenants have their own. */
    ParkedMeters(MeterRegistry registry, int tenants, String name, String description) {
        meters = new TenantMeters<>(
                tenants, tenant -> register(tenant, registry, name, description), registry::remove);
    }

    @Override
    public void add(RetryKey group, long items) {
        if (items != 0) {
            all.add(items);
            // An entry of 0 is removed.
            parked.merge(group.tenant(), items,
                    (before, more) -> before + more == 0 ? null : Long.valueOf(before + more));
        }
    }

    /** Gives the gauges to the tenants with most parked items. Called by one thread only. */
    void elect() {
        parked.forEach((tenant, items) -> {
            if (!tenant.isEmpty()) {
                meters.of(tenant, items);
            }
        });
        meters.elect();
    }

    private Gauge register(String tenant, MeterRegistry registry, String name, String description) {
        return Gauge.builder(name, this,
                        counts -> tenant.equals(TenantMeters.OTHERS) ? counts.others() : counts.of(tenant))
                .description(description)
                .tag("tenant", tenant)
                .register(registry);
    }

    private double of(String tenant) {
        return parked.getOrDefault(tenant, 0L);
    }

    private double others() {
        return all.sum() - meters.names().stream().mapToDouble(this::of).sum();
    }
}
