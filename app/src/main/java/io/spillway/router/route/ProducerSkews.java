package io.spillway.router.route;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.spillway.kafka.metrics.TenantMeters;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Difference between the times that producers gave to their items and those at which the broker took them, for tenants
 * of which more than a tenth of the latest items differ by more than a minute. Fewer are late sends; one of a tenant's
 * producers with a wrong clock is more.
 *
 * <p>Thread-safe; one thread calls {@link #turn}. Bounds: {@value #MOST} tenants with such items, and the named ones.
 */
final class ProducerSkews {
    private static final long FAR_MILLIS = 60_000;
    private static final int MOST = 1_000;
    /** Of what was counted before, at each turn: a half after 30 s. */
    private static final double KEPT = 0.8;
    private static final double LEAST = 0.01;

    private final Map<String, Skew> skews = new ConcurrentHashMap<>();
    private final TenantMeters<Optional<Gauge>> meters;

    ProducerSkews(MeterRegistry registry, int tenants) {
        this.meters = new TenantMeters<>(tenants, tenant -> gauge(registry, tenant),
                gauge -> gauge.ifPresent(registry::remove));
    }

    /** Records by how much the time of an item is after that of the broker, negative for before. */
    void record(String tenant, long skewMillis) {
        boolean isFar = Math.abs(skewMillis) > FAR_MILLIS;
        if (!isFar && skews.isEmpty()) {
            return;
        }
        Skew skew = isFar && skews.size() < MOST
                ? skews.computeIfAbsent(tenant, absent -> new Skew()) : skews.get(tenant);
        if (skew != null) {
            skew.add(skewMillis, isFar);
        }
        if (isFar) {
            meters.of(tenant);
        }
    }

    /** Lets what was recorded fade, and gives series to the tenants with the most such items. Called every 10 s. */
    void turn() {
        skews.values().removeIf(Skew::isOver);
        meters.elect();
    }

    private Optional<Gauge> gauge(MeterRegistry registry, String tenant) {
        return tenant.equals(TenantMeters.OTHERS) ? Optional.empty()
                : Optional.of(Gauge.builder("spillway.enqueued_at.skew", skews,
                                all -> Optional.ofNullable(all.get(tenant)).map(Skew::seconds).orElse(0.0))
                        .description("Difference of a tenant's times of items from the broker's, where many differ")
                        .baseUnit("seconds").tag("tenant", tenant).register(registry));
    }

    private static final class Skew {
        private double items;
        private double far;
        private double farMillis;

        synchronized void add(long skewMillis, boolean isFar) {
            items++;
            far += isFar ? 1 : 0;
            farMillis += isFar ? skewMillis : 0;
        }

        synchronized double seconds() {
            return far > items / 10 ? farMillis / far / 1_000 : 0;
        }

        synchronized boolean isOver() {
            items *= KEPT;
            far *= KEPT;
            farMillis *= KEPT;
            return far < LEAST;
        }
    }
}
