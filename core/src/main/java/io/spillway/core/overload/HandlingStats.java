package io.spillway.core.overload;

import io.spillway.core.item.Lane;

/**
 * Measures in a worker what its {@link LaneReport} says: how long attempts hold a slot, how many end, and how old items of
 * hot are when they are begun.
 *
 * <p>For any number of threads; {@link #report} for one. Owner of six numbers, under its own lock.
 */
public final class HandlingStats {
    /** So many attempts ago counts 1/e of now: enough that one slow item says little, few enough to follow within a second. */
    private static final double MEMORY_ATTEMPTS = 32;
    /** One item that its producer held back for an hour must not speak for the lane. */
    private static final long MOST_AGE_MILLIS = 10_000;
    private static final double LEAST_SECONDS = 1e-6;

    private double meanSeconds;
    private long ended;
    private double endedSeconds;
    private long begun;
    private double begunAgeMillis;
    private long lastNanos;

    /**
     * Begins to measure.
     *
     * @param nowNanos on the clock of {@link #report}
     */
    public HandlingStats(long nowNanos) {
        this.lastNanos = nowNanos;
    }

    /**
     * An attempt begins. Its age counts when it is the first of an item of hot.
     *
     * @param lane      not null
     * @param isFirst   of its item
     * @param ageMillis how old the item is; less than 0 counts as 0
     */
    public synchronized void begun(Lane lane, boolean isFirst, long ageMillis) {
        if (lane == Lane.HOT && isFirst) {
            begun++;
            begunAgeMillis += Math.clamp(ageMillis, 0, MOST_AGE_MILLIS);
        }
    }

    /**
     * An attempt of any lane has ended.
     *
     * @param durationNanos how long it held its slot, 0 or more
     */
    public synchronized void ended(long durationNanos) {
        ended++;
        endedSeconds += durationNanos / 1e9;
    }

    /**
     * What happened since the last report.
     *
     * @param slots    of the worker, 1 or more
     * @param waiting  items of hot read and not begun, 0 or more
     * @param nowNanos on a clock that does not go back
     */
    public synchronized LaneReport report(int slots, long waiting, long nowNanos) {
        double seconds = Math.max(LEAST_SECONDS, (nowNanos - lastNanos) / 1e9);
        lastNanos = nowNanos;
        if (ended > 0) {
            double weightOfNew = meanSeconds == 0 ? 1 : -Math.expm1(-ended / MEMORY_ATTEMPTS);
            meanSeconds += weightOfNew * (Math.max(LEAST_SECONDS, endedSeconds / ended) - meanSeconds);
        }
        LaneReport report = new LaneReport(
                slots,
                meanSeconds == 0 ? 0 : slots / meanSeconds,
                ended / seconds,
                waiting,
                begun == 0 ? 0 : begunAgeMillis / begun);
        ended = 0;
        endedSeconds = 0;
        begun = 0;
        begunAgeMillis = 0;
        return report;
    }
}
