package io.spillway.core.retry;

/**
 * Timeout of one attempt, and the tenant's state that learns from its end. Immutable; the attempts of a tenant with the
 * same timeout share one.
 */
public final class AttemptTimeout {
    final TenantDurations tenant;
    /** Timeout of the tenant's first attempts when this one began. */
    final long usualMillis;
    /** Whether it is longer than usual in order to see durations above the usual timeout. */
    final boolean isProbe;
    private final long millis;

    AttemptTimeout(TenantDurations tenant, long millis, long usualMillis, boolean isProbe) {
        this.tenant = tenant;
        this.millis = millis;
        this.usualMillis = usualMillis;
        this.isProbe = isProbe;
    }

    /** Returns the longest duration of the attempt, 1 or more. */
    public long millis() {
        return millis;
    }
}
