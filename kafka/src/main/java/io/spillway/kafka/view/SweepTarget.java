package io.spillway.kafka.view;

import io.spillway.core.item.ItemLimits;

/**
 * What a record of the sweeps topic is about. Its {@link #key} names each target in one way.
 *
 * @param isCancel whether it cancels items; otherwise it is a sweep
 * @param tenant   a tenant, or {@link ViewContent#ALL_TENANTS}
 * @param workload a workload; empty for all
 * @param itemId   an item of a cancel; empty for all
 */
public record SweepTarget(boolean isCancel, String tenant, String workload, String itemId) {
    /** Longest key, in bytes: a sign, two names and an id, with what separates them. */
    static final int MAX_KEY_BYTES = 3 + 2 * ItemLimits.MAX_NAME_LENGTH + ItemLimits.MAX_ID_LENGTH;

    /** Returns the target of a sweep of all workloads. */
    public static SweepTarget of(String tenant) {
        return new SweepTarget(false, tenant, "", "");
    }

    /**
     * Returns the key: {@code tenant}, {@code tenant/workload}, and for a cancel the same after {@code !}, or
     * {@code !tenant/workload/id}. Names contain neither sign, so that no two targets have the same key.
     */
    public String key() {
        String whole = isCancel ? "!" + tenant : tenant;
        return workload.isEmpty() && itemId.isEmpty() ? whole
                : whole + "/" + workload + (itemId.isEmpty() ? "" : "/" + itemId);
    }
}
