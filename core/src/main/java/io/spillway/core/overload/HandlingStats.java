package io.spillway.core.overload;

import io.spillway.core.item.Lane;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;

/**
 * Statistics of one worker for its {@link WorkerReport}: duration and number of attempts, of all lanes and of hot, and
 * the age of hot items at their start.
 *
 * <p>Any number of threads may record; one calls {@link #report}. Owner of what it counts, under its own lock.
 */
public final class HandlingStats {
    /** Averaging window in attempts. One slow item has little effect, and the mean follows a change within a second. */
    private static final double MEMORY_ATTEMPTS = 32;
    /** Upper bound of one item's age. It limits the effect of an item that its producer held back. */
    private static final long MOST_AGE_MILLIS = 10_000;
    private static final double LEAST_SECONDS = 1e-6;
    private static final int RECENT_ATTEMPTS = 64;
    /** Above what durations of one kind of work reach. */
    private static final int USUAL_MEDIANS = 8;
    /** Averaging window of the throughput. */
    private static final double MEMORY_SECONDS = 1;

    private double meanSeconds;
    private double meanPerSecond;
    private long ended;
    private double endedSeconds;
    private final Recent hot = new Recent();
    private double hotPerSecond;
    private long hotEnded;
    private long begun;
    private double begunAgeMillis;
    private long lastNanos;

    /** Durations of the latest attempts. */
    private static final class Recent {
        final double[] seconds = new double[RECENT_ATTEMPTS];
        long number;

        void add(double durationSeconds) {
            seconds[(int) (number++ % RECENT_ATTEMPTS)] = durationSeconds;
        }

        /**
         * Returns the mean without those far above the median, 0 for none. What a tenant's slow items hold is not there
         * for others, but they do not make the items of others slow. With them, a worker that gets few quick items
         * would look slow, and get fewer.
         */
        double usualSeconds() {
            int count = (int) Math.min(number, RECENT_ATTEMPTS);
            double[] sorted = Arrays.copyOf(seconds, count);
            Arrays.sort(sorted);
            double most = count == 0 ? 0 : sorted[count / 2] * USUAL_MEDIANS;
            return Arrays.stream(sorted).takeWhile(attemptSeconds -> attemptSeconds <= most).average().orElse(0);
        }
    }

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

    /** Records the end of an attempt of an item of this lane, after this time in its slot. */
    public synchronized void ended(Lane lane, long durationNanos) {
        double seconds = Math.max(LEAST_SECONDS, durationNanos / 1e9);
        ended++;
        endedSeconds += seconds;
        if (lane == Lane.HOT) {
            hotEnded++;
            hot.add(seconds);
        }
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
            meanSeconds += weightOfNew * (endedSeconds / ended - meanSeconds);
        }
        double weightOfNow = -Math.expm1(-seconds / MEMORY_SECONDS);
        meanPerSecond += weightOfNow * (ended / seconds - meanPerSecond);
        hotPerSecond += weightOfNow * (hotEnded / seconds - hotPerSecond);
        // A few long attempts make the mean long, and say nothing of what the other slots handle.
        double possible = possible(slots, meanSeconds, meanPerSecond);
        double ofHot = possible(slots, hot.usualSeconds(), hotPerSecond);
        WorkerReport report = new WorkerReport(
                slots, possible, ofHot == 0 ? possible : ofHot, ended / seconds, waiting,
                begun == 0 ? 0 : begunAgeMillis / begun, owned);
        ended = 0;
        endedSeconds = 0;
        hotEnded = 0;
        begun = 0;
        begunAgeMillis = 0;
        return report;
    }

    private static double possible(int slots, double meanSeconds, double handledPerSecond) {
        return meanSeconds == 0 ? 0 : Math.max(slots / meanSeconds, handledPerSecond);
    }
}
