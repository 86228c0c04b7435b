package io.spillway.core.overload;

import io.spillway.core.item.Lane;

/**
 * Statistics of one worker for its {@link LaneReport}: duration and number of attempts, and the age of hot items at
 * their start.
 *
 * <p>Any number of threads may record; one calls {@link #report}. Owner of six numbers, under its own lock.
 */
public final class HandlingStats {
    /** Averaging window in attempts. One slow item has little effect, and the mean follows a change within a second. */
    private static final double MEMORY_ATTEMPTS = 32;
    /** Upper bound of one item's age. It limits the effect of an item that its producer held back. */
    private static final long MOST_AGE_MILLIS = 10_000;
    private static final double LEAST_SECONDS = 1e-6;

    private double meanSeconds;
    private long ended;
    private double endedSeconds;
    private long begun;
    private double begunAgeMillis;
    private long lastNanos;

    /** Starts measuring. */
    public HandlingStats(long nowNanos) {
        this.lastNanos = nowNanos;
    }

    /**
     * Records the start of an attempt. Its item's age counts for the first attempt of a hot item; a negative one as 0.
     */
    public synchronized void begun(Lane lane, boolean isFirst, long ageMillis) {
        if (lane == Lane.HOT && isFirst) {
            begun++;
            begunAgeMillis += Math.clamp(ageMillis, 0, MOST_AGE_MILLIS);
        }
    }

    /** Records the end of an attempt of any lane, after this time in its slot. */
    public synchronized void ended(long durationNanos) {
        ended++;
        endedSeconds += durationNanos / 1e9;
    }

    /**
     * Returns the statistics since the last report.
     *
     * @param slots   concurrent handlers of the worker, 1 or more
     * @param waiting hot items read and not started, 0 or more
     */
    public synchronized LaneReport report(int slots, long waiting, long nowNanos) {
        double seconds = Math.max(LEAST_SECONDS, (nowNanos - lastNanos) / 1e9);
        lastNanos = nowNanos;
        if (ended > 0) {
            double weightOfNew = meanSeconds == 0 ? 1 : -Math.expm1(-ended / MEMORY_ATTEMPTS);
            meanSeconds += weightOfNew * (Math.max(LEAST_SECONDS, endedSeconds / ended) - meanSeconds);
        }
        LaneReport report = new LaneReport(
                slots, meanSeconds == 0 ? 0 : slots / meanSeconds, ended / seconds, waiting,
                begun == 0 ? 0 : begunAgeMillis / begun);
        ended = 0;
        endedSeconds = 0;
        begun = 0;
        begunAgeMillis = 0;
        return report;
    }
}
