package io.spillway.core.engine;

import io.spillway.core.policy.TenantPolicy;

/** Policies and sweeps in force. */
public interface ItemPolicies<T> {
    /** Returns the policy of the item's tenant. */
    TenantPolicy policyOf(T item);

    /**
     * Returns the time before which completed sweeps cover the item's workload, as
     * {@link io.spillway.core.routing.Sweep#coveredBeforeMillis} does. The engine calls it for sweepable tenants only.
     *
     * @param marginMillis of the tenant's policy
     */
    long sweptBeforeMillis(T item, long marginMillis, long nowMillis);

    /** Returns whether a cancel covers the item. Called often; cheap without one. */
    default boolean isCancelled(T item, long nowMillis) {
        return false;
    }

    /**
     * Returns by how much the clock went forward at once, 0 or more: not a part of an item's age. The engine calls it
     * only for an item that would be dropped, ended or aged.
     */
    default long clockAheadMillis() {
        return 0;
    }
}
