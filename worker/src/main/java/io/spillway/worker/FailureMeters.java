package io.spillway.worker;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.spillway.kafka.metrics.TenantMeters;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Meters of failed attempts. The tenants with the most failures have series of their own. The others share a counter
 * and have no gauge.
 *
 * <p>Owner of the tenant series, which {@link #elect} reassigns. Thread-safe.
 */
final class FailureMeters {
    private final TenantMeters<Meters> meters;

    private record Meters(Optional<Gauge> unavailable, Counter failed) {}

    /**
     * Registers the shared meters.
     *
     * @param tenants     maximum number of tenants with series of their own
     * @param unavailable whether nearly all items of a tenant fail
     */
    FailureMeters(MeterRegistry registry, int tenants, Predicate<String> unavailable) {
        meters = new TenantMeters<>(
                tenants,
                tenant -> new Meters(
                        tenant.equals(TenantMeters.OTHERS)
                                ? Optional.empty() : Optional.of(gauge(registry, tenant, unavailable)),
                        Counter.builder("spillway.attempts.failed")
                                .description("Failed attempts that are repeated, by tenant")
                                .tag("tenant", tenant).register(registry)),
                removed -> {
                    removed.unavailable().ifPresent(registry::remove);
                    registry.remove(removed.failed());
                });
    }

    void failed(String tenant) {
        meters.of(tenant).failed().increment();
    }

    void elect() {
        meters.elect();
    }

    private static Gauge gauge(MeterRegistry registry, String tenant, Predicate<String> unavailable) {
        return Gauge.builder("spillway.destination.unavailable", () -> unavailable.test(tenant) ? 1 : 0)
                .description("1 while nearly all items of a tenant fail in this worker, so that failures use up no"
                        + " attempts")
                .tag("tenant", tenant).strongReference(true).register(registry);
    }
}
