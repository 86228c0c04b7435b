package io.spillway.core.engine;

import io.spillway.core.policy.TenantPolicy;

/** Policies and sweeps in force. */
public interface ItemPolicies<T> {
    /** Returns the policy of the item's tenant. */
    TenantPolicy policyOf(T item);

    /**
     * Returns the start of the latest completed sweep of the item's tenant, in epoch milliseconds, or
     * {@link io.spillway.core.routing.RoutingRules#NO_SWEEP_MILLIS}. The engine calls it for sweepable tenants only.
     */
    long sweptBeforeMillis(T item, long nowMillis);
}
