package io.spillway.core.overload;

import io.spillway.core.item.Lane;
import java.util.Map;
import java.util.Set;

/**
 * Statistics of one worker for its {@link WorkerReport}: duration and number of attempts, and the age of hot items at
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
    /** Averaging window of the throughput. */
    private static final double MEMORY_SECONDS = 1;

    private double meanSeconds;
    private double meanPerSecond;
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
     * @param owned   partitions of the worker by lane
     */
    public synchronized WorkerReport report(
            int slots, long waiting, Map<Lane, Set<Integer>> owned, long nowNanos) {
        double seconds = Math.max(LEAST_SECONDS, (nowNanos - lastNanos) / 1e9);
        lastNanos = nowNanos;
        if (ended > 0) {
            double weightOfNew = meanSeconds == 0 ? 1 : -Math.expm1(-ended / MEMORY_ATTEMPTS);
            meanSeconds += weightOfNew * (Math.max(LEAST_SECONDS, endedSeconds / ended) - meanSeconds);
        }
        meanPerSecond += -Math.expm1(-seconds / MEMORY_SECONDS) * (ended / seconds - meanPerSecond);
        // A few long attempts make the mean long, and say nothing of what the other slots handle.
        WorkerReport report = new WorkerReport(
                slots, meanSeconds == 0 ? 0 : Math.max(slots / meanSeconds, meanPerSecond), ended / seconds, waiting,
                begun == 0 ? 0 : begunAgeMillis / begun, owned);
        ended = 0;
        endedSeconds = 0;
        begun = 0;
        begunAgeMillis = 0;
        return report;
    }
}
