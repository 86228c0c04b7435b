package io.spillway.worker;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.spillway.kafka.metrics.TenantMeters;
import java.util.Optional;
import java.util.function.ToDoubleFunction;

/**
 * Meters of the retry budgets. The tenants that retry most have series of their own. The others share a counter and
 * have no gauge, because the levels of many budgets have no meaningful sum.
 *
 * <p>Owner of the tenant series, which {@link #elect} reassigns. Thread-safe.
 */
final class BudgetMeters {
    private final TenantMeters<Meters> meters;

    private record Meters(Optional<Gauge> tokens, Counter refused) {}

    /**
     * Registers the shared meters.
     *
     * @param tenants maximum number of tenants with series of their own
     * @param tokens  level of a tenant's budget, in retries
     */
    BudgetMeters(MeterRegistry registry, int tenants, ToDoubleFunction<String> tokens) {
        meters = new TenantMeters<>(
                tenants,
                tenant -> new Meters(
                        tenant.equals(TenantMeters.OTHERS)
                                ? Optional.empty() : Optional.of(gauge(registry, tenant, tokens)),
                        Counter.builder("spillway.retry.refused")
                                .description("Retries postponed because the tenant's retry budget was empty")
                                .tag("tenant", tenant).register(registry)),
                removed -> {
                    removed.tokens().ifPresent(registry::remove);
                    registry.remove(removed.refused());
                });
    }

    /** Records a retry that a tenant requested. */
    void requested(String tenant, boolean granted) {
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
                .description("Retries that a tenant may make at once; below 1, retries are limited to the trickle rate")
                .tag("tenant", tenant).strongReference(true).register(registry);
    }
}
