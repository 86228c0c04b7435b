package io.spillway.core.engine;

import io.spillway.core.item.Lane;
import io.spillway.core.policy.TenantPolicy;
import io.spillway.core.retry.DestinationHealth;
import io.spillway.core.routing.ItemEnds;
import io.spillway.core.routing.Route;
import java.util.Optional;

/** {@link ItemEnds} of items in the worker's lanes, which may be cancelled and leave their lane once for their age. */
final class ItemAges<T extends EngineItem> {
    private static final Optional<Route> CANCELLED = Optional.of(Route.CANCELLED);

    private final ItemPolicies<T> policies;
    private final ItemEnds ends;

    ItemAges(ItemPolicies<T> policies, DestinationHealth health) {
        this.policies = policies;
        this.ends = new ItemEnds(policies::sweptBeforeMillis, health::hasFailedFor, policies::clockAheadMillis);
    }

    /**
     * Returns what happened to the item since it was routed: drop, dead letter, a move to delay because it is paused,
     * or in hot and overflow a move to aged.
     */
    Optional<Route> staleness(T item, TenantPolicy policy, long nowMillis) {
        if (policies.isCancelled(item, nowMillis)) {
            return CANCELLED;
        }
        Optional<Route> end = ends.now(item.tenant(), item.workload(), item.times(), policy, nowMillis);
        boolean isAged = end.isPresent() && end.get().equals(Route.AGED);
        return isAged && item.partition().lane() == Lane.AGED ? Optional.empty() : end;
    }

    /** Returns what happened to a waiting item that is cancelled, paused or at its end; empty for a move to aged. */
    Optional<Route> end(T item, long nowMillis) {
        if (policies.isCancelled(item, nowMillis)) {
            return CANCELLED;
        }
        TenantPolicy policy = policies.policyOf(item);
        return ItemEnds.mayBeOver(item.times(), policy, nowMillis) || policy.isPaused(item.workload())
                ? staleness(item, policy, nowMillis).filter(route -> !route.equals(Route.AGED)) : Optional.empty();
    }
}
