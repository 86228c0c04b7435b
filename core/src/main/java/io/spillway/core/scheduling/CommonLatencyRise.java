package io.spillway.core.scheduling;

/**
 * Rise of latency that all tenants share, for example because the worker lacks processor time: no tenant is throttled
 * for it. Measured on tenants below their fair share, whose own load cannot be the cause (common-mode rejection).
 *
 * <p>Owner: {@link FairDispatch}.
 */
final class CommonLatencyRise {
    private static final double NEWEST_SHARE = 1.0 / 20;
    /** Age at which the last sample expires. */
    private static final long FRESH_NANOS = 1_000_000_000L;

    private double rise;
    private long sampledNanos;

    /** Records how far one tenant's latency is above its baseline, as a logarithm. */
    void sample(double tenantRise, long nowNanos) {
        rise = now(nowNanos);
        rise += (tenantRise - rise) * NEWEST_SHARE;
        sampledNanos = nowNanos;
    }

    /** Returns the shared rise, as a logarithm, 0 or more. */
    double now(long nowNanos) {
        return nowNanos - sampledNanos > FRESH_NANOS ? 0 : Math.max(0, rise);
    }
}
