package io.spillway.core.engine;

import io.spillway.core.policy.TenantPolicy;

/**
 * The policies and sweeps in force, as the engine asks for them.
 *
 * @param <T> the caller's item
 */
public interface ItemPolicies<T> {
    /** The policy of the item's tenant, not null. */
    TenantPolicy policyOf(T item);

    /**
     * Start of the latest completed sweep that covers the item's tenant; asked for sweepable tenants only.
     *
     * @param nowMillis epoch milliseconds
     * @return epoch milliseconds, or {@link io.spillway.core.routing.RoutingRules#NO_SWEEP_MILLIS}
     */
    long sweptBeforeMillis(T item, long nowMillis);
}
