package io.spillway.core.scheduling;

/**
 * How far latencies are above their baselines for everybody at once: a worker that is short of processor time makes every
 * tenant's attempts longer, and no tenant is to be held back for it. Measured by the tenants below their fair share, whose own
 * load cannot be the reason; common-mode rejection, as in a differential amplifier.
 *
 * <p>Owner: {@link FairDispatch}.
 */
final class CommonLatencyRise {
    private static final double NEWEST_SHARE = 1.0 / 20;
    /** After so long without a sample nothing is known. */
    private static final long FRESH_NANOS = 1_000_000_000L;

    private double rise;
    private long sampledNanos;

    /**
     * Takes how far one tenant's latency is above its baseline.
     *
     * @param tenantRise as a logarithm
     * @param nowNanos   on a clock that does not go back
     */
    void sample(double tenantRise, long nowNanos) {
        rise = now(nowNanos);
        rise += (tenantRise - rise) * NEWEST_SHARE;
        sampledNanos = nowNanos;
    }

    /** The rise of everybody, as a logarithm, 0 or more. */
    double now(long nowNanos) {
        return nowNanos - sampledNanos > FRESH_NANOS ? 0 : Math.max(0, rise);
    }
}
