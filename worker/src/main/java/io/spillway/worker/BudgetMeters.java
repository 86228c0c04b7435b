package io.spillway.worker;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.spillway.kafka.metrics.TenantMeters;
import java.util.Optional;
import java.util.function.ToDoubleFunction;

/**
 * The retry budgets of those tenants that retry most. A tenant has series once it has retried; the rest share a counter
 * and have no gauge, since many budgets have no one level.
 *
 * <p>Owner of the names among its series, which {@link #elect} moves. Thread-safe.
 */
final class BudgetMeters {
    private final TenantMeters<Meters> meters;

    private record Meters(Optional<Gauge> tokens, Counter refused) {}

    /**
     * Makes the meters of the rest.
     *
     * @param tenants most tenants with series of their own
     * @param tokens  what a tenant's budget holds
     */
    BudgetMeters(MeterRegistry registry, int tenants, ToDoubleFunction<String> tokens) {
        meters = new TenantMeters<>(
                tenants,
                tenant -> new Meters(
                        tenant.equals(TenantMeters.OTHERS) ? Optional.empty() : Optional.of(gauge(registry, tenant, tokens)),
                        Counter.builder("spillway.retry.refused")
                                .description("Retries put off because the tenant's budget was empty")
                                .tag("tenant", tenant)
                                .register(registry)),
                gone -> {
                    gone.tokens().ifPresent(registry::remove);
                    registry.remove(gone.refused());
                });
    }

    /** A tenant has asked for a retry. */
    void asked(String tenant, boolean granted) {
        Meters own = meters.of(tenant);
        if (!granted) {
            own.refused().increment();
        }
    }

    void elect() {
        meters.elect();
    }

    private static Gauge gauge(MeterRegistry registry, String tenant, ToDoubleFunction<String> tokens) {
        return Gauge.builder("spillway.retry.budget", tenant, tokens)
                .description("Retries that a tenant may make at once; below 1 they go at the trickle")
                .tag("tenant", tenant)
                .strongReference(true)
                .register(registry);
    }
}
