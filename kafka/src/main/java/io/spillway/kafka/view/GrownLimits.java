package io.spillway.kafka.view;

import io.spillway.core.ledger.Depth;
import io.spillway.core.policy.BackPressure;
import io.spillway.core.policy.GrowthRule;
import io.spillway.core.policy.RateLimit;
import io.spillway.core.policy.TenantPolicy;
import io.spillway.core.ratelimit.GrowingLimit;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Rate limits in force for each tenant, in the lanes and at the gateways: the configured one, the limit grown from its
 * measured use, or none.
 *
 * <p>Safe for any number of threads. Owner of the grown limits computed so far, each computed again when the tenant's
 * balance or policy changes. Bound: {@code maxTenants}; at the bound all are discarded and computed again on demand.
 */
public final class GrownLimits {
    private final Depths depths;
    private final int maxTenants;
    private final Map<String, Cached> cached = new ConcurrentHashMap<>();

    private record Cached(GrowingLimit growing, GrowthRule rule, Optional<RateLimit> limit) {}

    public GrownLimits(Depths depths, int maxTenants) {
        this.depths = depths;
        this.maxTenants = maxTenants;
    }

    /** Returns the limit in force in the lanes; empty for none. */
    public Optional<RateLimit> ofLanes(String tenant, TenantPolicy policy) {
        return policy.growth().isEmpty() ? policy.rateLimit() : grown(tenant, policy.growth().get());
    }

    /**
     * Returns the limit in force at the gateways; empty for none. Without an {@code admissionRate}, a grown limit holds
     * there too, unless the tenant's back pressure is to accept.
     */
    public Optional<RateLimit> ofGateways(String tenant, TenantPolicy policy) {
        return policy.admissionLimit().isPresent() || policy.growth().isEmpty()
                        || policy.backPressure() == BackPressure.ACCEPT
                ? policy.admissionLimit() : grown(tenant, policy.growth().get());
    }

    private Optional<RateLimit> grown(String tenant, GrowthRule rule) {
        GrowingLimit growing = depths.of(tenant).map(Depth::growing).orElse(GrowingLimit.NONE);
        Cached last = cached.get(tenant);
        if (last != null && last.growing == growing && last.rule == rule) {
            return last.limit;
        }
        if (last == null && cached.size() >= maxTenants) {
            cached.clear();
        }
        Optional<RateLimit> limit = Optional.of(rule.limit(growing.inForce(rule)));
        cached.put(tenant, new Cached(growing, rule, limit));
        return limit;
    }
}
