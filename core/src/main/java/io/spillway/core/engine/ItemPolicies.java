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

    /**
     * Returns by how much the clock went forward at once, 0 or more: not a part of an item's age. The engine calls it
     * only for an item that would be dropped, ended or aged.
     */
    default long clockAheadMillis() {
        return 0;
    }
}
