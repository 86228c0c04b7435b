package io.spillway.core.engine;

import io.spillway.core.item.Lane;
import io.spillway.core.policy.TenantPolicy;
import io.spillway.core.routing.Route;
import io.spillway.core.routing.RoutingRules;
import java.util.Optional;

/** Effect of time and cancels on items of the worker's lanes, without a forward step of the clock. */
record ItemAges<T extends EngineItem>(ItemPolicies<T> policies) {
    private static final Optional<Route> CANCELLED = Optional.of(Route.CANCELLED);

    /**
     * Returns what happened to the item since it was routed: drop, dead letter, or in hot and overflow a move to aged.
     */
    Optional<Route> staleness(T item, TenantPolicy policy, long nowMillis) {
        if (policies.isCancelled(item, nowMillis)) {
            return CANCELLED;
        }
        Optional<Route> stale = staleness(item, policy, nowMillis, 0);
        return stale.isEmpty() ? stale : staleness(item, policy, nowMillis, policies.clockAheadMillis());
    }

    /** Returns the end of a waiting item that is cancelled or at its end; empty before, and for a move to aged. */
    Optional<Route> end(T item, long nowMillis) {
        if (policies.isCancelled(item, nowMillis)) {
            return CANCELLED;
        }
        TenantPolicy policy = policies.policyOf(item);
        return nowMillis < RoutingRules.endMillis(item.attempts() > 0, item.freshSinceMillis(), policy)
                ? Optional.empty()
                : staleness(item, policy, nowMillis).filter(route -> !(route instanceof Route.ToLane));
    }

    private Optional<Route> staleness(T item, TenantPolicy policy, long nowMillis, long aheadMillis) {
        long coveredBeforeMillis = policy.sweepable()
                ? policies.sweptBeforeMillis(item, policy.sweepMarginMillis(), nowMillis - aheadMillis)
                : RoutingRules.NO_SWEEP_MILLIS;
        return RoutingRules.staleness(
                        RoutingRules.sweepAtMillis(item.enqueuedAtMillis(), item.enteredAtMillis()),
                        item.freshSinceMillis(), item.attempts() > 0, policy, coveredBeforeMillis,
                        nowMillis - aheadMillis)
                .filter(route -> !(route instanceof Route.ToLane) || item.partition().lane() != Lane.AGED);
    }
}
