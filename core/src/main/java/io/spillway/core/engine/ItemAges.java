package io.spillway.core.engine;

import io.spillway.core.item.Lane;
import io.spillway.core.policy.TenantPolicy;
import io.spillway.core.routing.Route;
import io.spillway.core.routing.RoutingRules;
import java.util.Optional;

/** Effect of time on items of the worker's lanes, without a forward step of the clock. */
record ItemAges<T extends EngineItem>(ItemPolicies<T> policies) {
    /**
     * Returns the effect of time since the item was routed: drop, dead letter, or in hot and overflow a move to aged.
     */
    Optional<Route> staleness(T item, TenantPolicy policy, long nowMillis) {
        Optional<Route> stale = staleness(item, policy, nowMillis, 0);
        return stale.isEmpty() ? stale : staleness(item, policy, nowMillis, policies.clockAheadMillis());
    }

    /** Returns the effect of time on a waiting item whose end has come; empty before, and for a move to aged. */
    Optional<Route> end(T item, long nowMillis) {
        TenantPolicy policy = policies.policyOf(item);
        return nowMillis < RoutingRules.endMillis(item.attempts() > 0, item.freshSinceMillis(), policy)
                ? Optional.empty()
                : staleness(item, policy, nowMillis).filter(route -> !(route instanceof Route.ToLane));
    }

    private Optional<Route> staleness(T item, TenantPolicy policy, long nowMillis, long aheadMillis) {
        long sweepStartMillis = policy.sweepable()
                ? policies.sweptBeforeMillis(item, nowMillis - aheadMillis) : RoutingRules.NO_SWEEP_MILLIS;
        return RoutingRules.staleness(
                        item.enqueuedAtMillis(), item.freshSinceMillis(), item.attempts() > 0, policy,
                        sweepStartMillis, nowMillis - aheadMillis)
                .filter(route -> !(route instanceof Route.ToLane) || item.partition().lane() != Lane.AGED);
    }
}
