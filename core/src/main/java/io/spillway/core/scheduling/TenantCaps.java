package io.spillway.core.scheduling;

/** What a tenant may hold at most, and how it stands to that; without state of its own. */
final class TenantCaps {
    /** How many times the average of all attempts an attempt takes to be called long. */
    private static final double LONG_FACTOR = 4;

    private final DispatchSettings settings;

    TenantCaps(DispatchSettings settings) {
        this.settings = settings;
    }

    /** Most slots of a tenant: its policy's, and beyond its fair share the adaptive ones. */
    int cap(DispatchTenant<?> tenant, int share) {
        int adaptive = Math.max(share, tenant.adaptive.limit());
        return settings.adaptive() && adaptive < settings.slots()
                ? Math.min(tenant.concurrency, adaptive)
                : tenant.concurrency;
    }

    /** Long is what outlasts both the buffer time and by far what slots are held for on average. */
    boolean isLong(DispatchTenant<?> tenant, double averageMillis) {
        double millis = tenant.estimateMillis(0);
        return millis >= settings.hotBufferMillis() && millis >= LONG_FACTOR * averageMillis;
    }

    /** How a tenant stands whose share, cap and latency are settled. */
    static SlotEntitlement standing(DispatchTenant<?> tenant) {
        if (tenant.inFlight >= tenant.cap) {
            return SlotEntitlement.HELD;
        }
        if (tenant.inFlight < tenant.share) {
            return SlotEntitlement.WITHIN;
        }
        return tenant.isLong ? SlotEntitlement.LONG : SlotEntitlement.BEYOND;
    }
}
