package io.spillway.core.engine;

import io.spillway.core.policy.TenantPolicy;

/** Policies and sweeps in force. */
public interface ItemPolicies<T> {
    /** Returns the policy of the item's tenant. */
    TenantPolicy policyOf(T item);

    /** Returns what completed sweeps cover: {@link io.spillway.core.routing.ItemEnds.Sweeps}. */
    long sweptBeforeMillis(String tenant, String workload, long marginMillis, long nowMillis);

    /**
     * Returns whether an item belongs into another partition of its lane, and is not handled here: that of its tenant's
     * pool of workers, or one of the tenant's own. Called often.
     */
    default boolean isMisplaced(T item) {
        return false;
    }

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
