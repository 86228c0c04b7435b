package io.spillway.core.scheduling;

/**
 * Slots that tenants have needed lately, as averages over twice the time within which slots come back soon: a batch of
 * short attempts that could use every slot for an instant needs few. The largest average of the last 5 to 10 seconds
 * counts: of the current window of 5 seconds and the one before.
 *
 * <p>Owner: the {@link SlotPool}.
 */
final class RecentDemand {
    private static final double NANOS_PER_MILLI = 1e6;
    private static final long PEAK_NANOS = 5_000_000_000L;

    private long startedNanos;
    private long countedNanos;
    private double slotNanos;
    private long peakSinceNanos;
    private double peak;
    private double peakBefore;

    /** Records that so many slots were needed since the last call. */
    void at(int slots, double soonMillis, long nowNanos) {
        slotNanos += (double) slots * Math.max(0, nowNanos - countedNanos);
        countedNanos = nowNanos;
        double windowNanos = nowNanos - startedNanos;
        if (windowNanos >= 0 && windowNanos < 2 * soonMillis * NANOS_PER_MILLI) {
            return;
        }
        if (windowNanos > 0) {
            peak = Math.max(rolled(nowNanos), slotNanos / windowNanos);
        }
        startedNanos = nowNanos;
        slotNanos = 0;
    }

    /** Returns the slots that were needed, 0 or more. */
    double most(long nowNanos) {
        return Math.max(rolled(nowNanos), peakBefore);
    }

    private double rolled(long nowNanos) {
        long elapsedNanos = nowNanos - peakSinceNanos;
        if (elapsedNanos >= PEAK_NANOS || elapsedNanos < 0) {
            peakBefore = elapsedNanos >= 2 * PEAK_NANOS ? 0 : peak;
            peak = 0;
            peakSinceNanos = nowNanos;
        }
        return peak;
    }
}
