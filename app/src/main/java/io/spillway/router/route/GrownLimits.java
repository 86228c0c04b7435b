package io.spillway.router.route;

import io.spillway.core.ledger.Depth;
import io.spillway.core.policy.GrowthRule;
import io.spillway.core.policy.RateLimit;
import io.spillway.core.policy.TenantPolicy;
import io.spillway.core.ratelimit.GrowingLimit;
import io.spillway.kafka.view.Depths;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The limit that each tenant is held to: its rate, or what has grown for it according to its books, or none.
 *
 * <p>For any number of threads. Owner of the limits worked out so far, each made anew when books or policy change. Bound:
 * {@code maxTenants}; at the bound all are forgotten and made again when they are asked for.
 */
public final class GrownLimits {
    private final Depths depths;
    private final int maxTenants;
    private final Map<String, Known> known = new ConcurrentHashMap<>();

    private record Known(GrowingLimit growing, GrowthRule rule, Optional<RateLimit> limit) {}

    public GrownLimits(Depths depths, int maxTenants) {
        this.depths = depths;
        this.maxTenants = maxTenants;
    }

    /** The limit in force; empty for none. */
    Optional<RateLimit> of(String tenant, TenantPolicy policy) {
        return policy.growth().isEmpty() ? policy.rateLimit() : grown(tenant, policy.growth().get());
    }

    private Optional<RateLimit> grown(String tenant, GrowthRule rule) {
        GrowingLimit growing = depths.of(tenant).map(Depth::growing).orElse(GrowingLimit.NONE);
        Known last = known.get(tenant);
        if (last != null && last.growing == growing && last.rule == rule) {
            return last.limit;
        }
        if (last == null && known.size() >= maxTenants) {
            known.clear();
        }
        Optional<RateLimit> limit = Optional.of(rule.limit(growing.inForce(rule)));
        known.put(tenant, new Known(growing, rule, limit));
        return limit;
    }
}
