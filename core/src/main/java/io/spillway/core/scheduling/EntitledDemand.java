package io.spillway.core.scheduling;

/**
 * Slots that tenants have needed lately, as averages over twice the time within which slots come back soon: a batch of
 * short attempts that could use every slot for an instant needs few. The largest average of the last 5 to 10 seconds
 * counts.
 *
 * <p>Owner: the {@link SlotPool}.
 */
final class EntitledDemand {
    private static final double NANOS_PER_MILLI = 1e6;

    private final RecentPeak mostWanted = new RecentPeak();
    private final RecentPeak mostHeld = new RecentPeak();
    private long startedNanos;
    private long countedNanos;
    private double wantedNanos;
    private double heldNanos;

    /** Records that so many slots were wanted and held since the last call. */
    void at(int wanted, int held, double soonMillis, long nowNanos) {
        long elapsedNanos = Math.max(0, nowNanos - countedNanos);
        countedNanos = nowNanos;
        wantedNanos += (double) wanted * elapsedNanos;
        heldNanos += (double) held * elapsedNanos;
        double windowNanos = nowNanos - startedNanos;
        if (windowNanos < 2 * soonMillis * NANOS_PER_MILLI) {
            return;
        }
        mostWanted.note(wantedNanos / windowNanos, nowNanos);
        mostHeld.note(heldNanos / windowNanos, nowNanos);
        startedNanos = nowNanos;
        wantedNanos = 0;
        heldNanos = 0;
    }

    /** Returns the slots that were wanted, 0 or more. */
    double mostWanted(long nowNanos) {
        return mostWanted.value(nowNanos);
    }

    /** Returns the slots that were held, 0 or more. */
    double mostHeld(long nowNanos) {
        return mostHeld.value(nowNanos);
    }
}
