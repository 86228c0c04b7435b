package io.spillway.core.engine;

import io.spillway.core.policy.TenantPolicy;

/**
 * Policies and sweeps in force.
 *
 * @param <T> the caller's item
 */
public interface ItemPolicies<T> {
    /** Returns the policy of the item's tenant, not null. */
    TenantPolicy policyOf(T item);

    /**
     * Returns the start of the latest completed sweep of the item's tenant. The engine calls it for sweepable tenants
     * only.
     *
     * @param nowMillis epoch milliseconds
     * @return epoch milliseconds, or {@link io.spillway.core.routing.RoutingRules#NO_SWEEP_MILLIS}
     */
    long sweptBeforeMillis(T item, long nowMillis);
}
