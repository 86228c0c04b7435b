package io.spillway.core.engine;

import io.spillway.core.item.Lane;
import io.spillway.core.policy.TenantPolicy;
import io.spillway.core.retry.DestinationHealth;
import io.spillway.core.routing.Route;
import io.spillway.core.routing.RoutingRules;
import java.util.Optional;

/**
 * Effect of time and cancels on items of the worker's lanes, without a forward step of the clock.
 *
 * <p>An item that was never attempted ends after {@code retryFor} as well, if all attempts of its tenant failed for as
 * long: its attempt would most likely fail too, and more such items arrive than can be attempted.
 */
record ItemAges<T extends EngineItem>(ItemPolicies<T> policies, DestinationHealth health) {
    private static final Optional<Route> CANCELLED = Optional.of(Route.CANCELLED);

    /**
     * Returns what happened to the item since it was routed: drop, dead letter, a move to delay because it is paused,
     * or in hot and overflow a move to aged.
     */
    Optional<Route> staleness(T item, TenantPolicy policy, long nowMillis) {
        if (policies.isCancelled(item, nowMillis)) {
            return CANCELLED;
        }
        Optional<Route> stale = staleness(item, policy, nowMillis, 0);
        return stale.isEmpty() ? stale : staleness(item, policy, nowMillis, policies.clockAheadMillis());
    }

    /** Returns what happened to a waiting item that is cancelled, paused or at its end; empty for a move to aged. */
    Optional<Route> end(T item, long nowMillis) {
        if (policies.isCancelled(item, nowMillis)) {
            return CANCELLED;
        }
        TenantPolicy policy = policies.policyOf(item);
        long endMillis = Math.min(
                RoutingRules.endMillis(true, item.freshSinceMillis(), policy),
                RoutingRules.endMillis(item.attempts() > 0, item.freshSinceMillis(), policy));
        return nowMillis < endMillis && !policy.isPaused(item.workload()) ? Optional.empty()
                : staleness(item, policy, nowMillis).filter(route -> !route.equals(Route.AGED));
    }

    private Optional<Route> staleness(T item, TenantPolicy policy, long nowMillis, long aheadMillis) {
        long coveredBeforeMillis = policy.sweepable()
                ? policies.sweptBeforeMillis(item, policy.sweepMarginMillis(), nowMillis - aheadMillis)
                : RoutingRules.NO_SWEEP_MILLIS;
        Optional<Route> stale = RoutingRules.staleness(
                        RoutingRules.sweepAtMillis(item.enqueuedAtMillis(), item.enteredAtMillis()),
                        item.freshSinceMillis(), item.attempts() > 0, policy, item.workload(), coveredBeforeMillis,
                        nowMillis - aheadMillis)
                .filter(route -> !route.equals(Route.AGED) || item.partition().lane() != Lane.AGED);
        boolean goesOn = stale.isEmpty() || stale.get() instanceof Route.ToLane;
        return goesOn && isHopeless(item, policy, nowMillis, aheadMillis)
                ? Optional.of(RoutingRules.unattemptedEnd(policy)) : stale;
    }

    private boolean isHopeless(T item, TenantPolicy policy, long nowMillis, long aheadMillis) {
        return item.attempts() == 0
                && nowMillis - aheadMillis >= RoutingRules.endMillis(true, item.freshSinceMillis(), policy)
                && health.hasFailedFor(item.tenant(), policy.retryForMillis() + aheadMillis);
    }
}
