package io.spillway.core.scheduling;

/** Stateless rules for a tenant's most slots and its entitlement to the next one. */
final class TenantCaps {
    /** Attempts are long when they take this many times the average of all attempts. */
    private static final double LONG_FACTOR = 4;

    private final DispatchSettings settings;

    TenantCaps(DispatchSettings settings) {
        this.settings = settings;
    }

    /** Returns the most slots of a tenant: its policy's concurrency and, beyond its fair share, the adaptive cap. */
    int cap(DispatchTenant<?> tenant, int share) {
        int adaptive = Math.max(share, tenant.adaptive.limit());
        return settings.adaptive() && adaptive < settings.slots()
                ? Math.min(tenant.concurrency, adaptive)
                : tenant.concurrency;
    }

    /** Returns whether attempts exceed both the buffer time and, by far, the average of all attempts. */
    boolean isLong(DispatchTenant<?> tenant, double averageMillis) {
        double millis = tenant.estimateMillis(0);
        return millis >= settings.hotBufferMillis() && millis >= LONG_FACTOR * averageMillis;
    }

    /** Returns the entitlement of a tenant whose share, cap and latency are up to date. */
    static SlotEntitlement standing(DispatchTenant<?> tenant) {
        if (tenant.held || tenant.inFlight >= tenant.cap) {
            return SlotEntitlement.HELD;
        }
        if (tenant.inFlight < tenant.share) {
            return SlotEntitlement.WITHIN;
        }
        return tenant.isLong ? SlotEntitlement.LONG : SlotEntitlement.BEYOND;
    }
}
