package io.spillway.core.schedule;

import io.spillway.core.hashing.TenantHash;

/**
 * Place of an item within a window of time, by a hash of its tenant and id: items that are due together spread evenly,
 * and an item that is sent again has the same place.
 */
public final class DeliveryWindow {
    private static final long SEED = 0x77696E646F77L;

    private DeliveryWindow() {}

    /**
     * Returns the time of an item after the start of the window.
     *
     * @param windowMillis length of the window, 0 or more
     * @return from 0 to below {@code windowMillis}; 0 if there is no window
     */
    public static long offsetMillis(String tenant, String id, long windowMillis) {
        return windowMillis == 0 ? 0 : Long.remainderUnsigned(TenantHash.of(tenant, id, SEED), windowMillis);
    }
}
