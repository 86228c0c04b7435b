package io.spillway.policy;

/** What a tenant may hold at most, and how it stands to that; without state of its own. */
final class Caps {
    /** How many times the average of all attempts an attempt takes to be called long. */
    private static final double LONG_FACTOR = 4;

    private final DispatchSettings settings;

    Caps(DispatchSettings settings) {
        this.settings = settings;
    }

    /** Most slots of a tenant: its policy's, and beyond its fair share the adaptive ones. */
    int cap(Tenant<?> tenant, int share) {
        int adaptive = Math.max(share, tenant.adaptive.limit());
        return settings.adaptive() && adaptive < settings.slots()
                ? Math.min(tenant.concurrency, adaptive)
                : tenant.concurrency;
    }

    /** Long is what outlasts both the buffer time and by far what slots are held for on average. */
    boolean isLong(Tenant<?> tenant, double averageMillis) {
        double millis = tenant.estimateMillis(0);
        return millis >= settings.hotBufferMillis() && millis >= LONG_FACTOR * averageMillis;
    }

    /** How a tenant stands whose share, cap and latency are settled. */
    static Standing standing(Tenant<?> tenant) {
        if (tenant.inFlight >= tenant.cap) {
            return Standing.HELD;
        }
        if (tenant.inFlight < tenant.share) {
            return Standing.WITHIN;
        }
        return tenant.isLong ? Standing.LONG : Standing.BEYOND;
    }
}
