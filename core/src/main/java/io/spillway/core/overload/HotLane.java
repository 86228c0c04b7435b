package io.spillway.core.overload;

import io.spillway.core.ratelimit.Gcra;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

/**
 * Detector of a hot lane that is behind: more than one item waits in it and will take longer than the target. Any of
 * these signals suffices:
 *
 * <ul>
 *   <li>items that this router sent, minus the workers' capacity since then. This is the earliest signal, within
 *       the batch that brings a burst. Its state is the time when hot will be empty, as in {@link Gcra};
 *   <li>items read and not started by the workers, or waiting in the partitions, divided by the workers' capacity;
 *   <li>the age of items at their start;
 *   <li>no live worker.
 * </ul>
 *
 * <p>All but the first are measurements of one moment, so they must last for {@value #CONFIRM_MILLIS} ms. An age does
 * not say where the item was late, so it counts only while several items are in the lane.
 *
 * <p>Items that fill the slots do not count as waiting. The lane stays behind until no signal has reached half the
 * target for {@value #HOLD_MILLIS} ms. Before the first report of a worker's capacity the lane is not behind.
 *
 * <p>{@link #sent} and {@link #isBehind} are thread-safe, {@link #update} is for one thread.
 */
final class HotLane {
    static final long HOLD_MILLIS = 1_000;
    /** Two reports of each worker. */
    static final long CONFIRM_MILLIS = 500;
    private static final long NANOS_PER_MILLI = 1_000_000;
    /** Maximum difference between the times of threads. A time further ahead comes from a clock that was set back. */
    private static final long MAX_SKEW_MILLIS = 1_000;

    private final long targetMillis;
    /** Time when the items sent so far will be handled, nanoseconds since 1970. */
    private final AtomicLong emptyAtNanos = new AtomicLong();
    private volatile Capacity capacity = Capacity.UNKNOWN;
    private volatile long behindUntilMillis;
    private final Lasting reported = new Lasting();
    private final Lasting inPartitions = new Lasting();
    private PartitionBacklog lastRead;

    /**
     * Capacity of the workers for this router.
     *
     * @param nanosPerItem   0 when not known
     * @param allowanceNanos how far {@code emptyAtNanos} may be ahead of now: one item for each slot, plus the target,
     *                       or one item more if that takes longer
     */
    private record Capacity(long nanosPerItem, long allowanceNanos) {
        static final Capacity UNKNOWN = new Capacity(0, 0);
    }

    /** Time since when consecutive measurements exceed the target. */
    private static final class Lasting {
        private static final long NOT = Long.MAX_VALUE;
        private long sinceMillis = NOT;

        /** Adds a measurement, and returns whether they have exceeded the target for long enough. */
        boolean add(boolean exceeds, long nowMillis) {
            // A clock that was set back must not give a negative duration.
            sinceMillis = exceeds ? Math.min(sinceMillis, nowMillis) : NOT;
            return exceeds && nowMillis - sinceMillis >= CONFIRM_MILLIS;
        }
    }

    HotLane(long targetMillis) {
        this.targetMillis = targetMillis;
    }

    boolean isBehind(long nowMillis) {
        long leftMillis = behindUntilMillis - nowMillis;
        // The upper bound releases the lane soon after a clock was set back. The time of this thread may be older than
        // that of the one which set the lane behind.
        return leftMillis > 0 && leftMillis <= HOLD_MILLIS + MAX_SKEW_MILLIS;
    }

    /** Records an item that this router sent to hot. */
    void sent(long nowMillis) {
        Capacity now = capacity;
        if (now.nanosPerItem == 0) {
            return;
        }
        long nowNanos = nowMillis * NANOS_PER_MILLI;
        // Bounds the effect of a wrong capacity to one second after the last item.
        long maxNanos = nowNanos + now.allowanceNanos + HOLD_MILLIS * NANOS_PER_MILLI;
        long before;
        long after;
        do {
            before = emptyAtNanos.get();
            boolean isOfOtherClock = before > maxNanos + MAX_SKEW_MILLIS * NANOS_PER_MILLI;
            long emptyNanos = isOfOtherClock ? nowNanos : Math.max(before, nowNanos);
            after = Math.min(maxNanos, emptyNanos + now.nanosPerItem);
        } while (!emptyAtNanos.compareAndSet(before, after));
        if (after - nowNanos > now.allowanceNanos) {
            behindUntilMillis = nowMillis + HOLD_MILLIS;
        }
    }

    /**
     * Updates the state of the lane as {@link HotGuard#update} does; each router uses an equal part of the capacity.
     * Returns the items a second that the workers can handle for this router, 0 when not known.
     */
    double update(List<LaneReport> reports, PartitionBacklog read, int routers, long nowMillis) {
        boolean isNew = read != lastRead;
        lastRead = read;
        long unfinished = total(read);
        if (reports.isEmpty()) {
            setBehind(reported.add(capacity != Capacity.UNKNOWN && unfinished > 1, nowMillis), nowMillis);
            return capacity.nanosPerItem == 0 ? 0 : 1e9 / capacity.nanosPerItem;
        }
        int slots = 0;
        long waiting = 0;
        double possible = 0;
        double handled = 0;
        double ageMillis = 0;
        for (LaneReport report : reports) {
            slots += report.slots();
            waiting += report.waiting();
            possible += report.possiblePerSecond();
            handled += report.handledPerSecond();
            ageMillis = Math.max(ageMillis, report.ageMillis());
        }
        // Free slots while items grow old: another resource limits the workers, so the throughput is the capacity.
        double perSecond = ageMillis > targetMillis && handled > 0 ? Math.min(possible, handled) : possible;
        if (perSecond > 0) {
            capacity = capacity(perSecond / routers, slots);
        }
        double reportedMillis =
                Math.max(waiting > 1 || unfinished > 1 ? ageMillis : 0, waitMillis(waiting, perSecond));
        setBehind(reported.add(reportedMillis > targetMillis, nowMillis), nowMillis);
        if (isNew) {
            long beyondSlots = Math.max(0, unfinished - slots);
            if (capacity.nanosPerItem > 0) {
                anchor(nowMillis, (beyondSlots + slots) / perSecond(perSecond));
            }
            double inPartitionsMillis = waitMillis(beyondSlots, perSecond);
            setBehind(inPartitions.add(inPartitionsMillis > targetMillis, nowMillis), nowMillis);
            reportedMillis = Math.max(reportedMillis, inPartitionsMillis);
        }
        setBehind(isBehind(nowMillis) && reportedMillis > targetMillis / 2.0, nowMillis);
        return perSecond / routers;
    }

    private void setBehind(boolean isSignalled, long nowMillis) {
        if (isSignalled) {
            behindUntilMillis = nowMillis + HOLD_MILLIS;
        }
    }

    /** Returns how long these items take; 0 for a single one. */
    private static double waitMillis(long items, double perSecond) {
        return items > 1 ? 1e3 * items / perSecond(perSecond) : 0;
    }

    /** Lowers the estimate to the backlog that was read: the estimate depends on a capacity that may be wrong. */
    private void anchor(long nowMillis, double seconds) {
        long nowNanos = nowMillis * NANOS_PER_MILLI;
        long readNanos = nowNanos + (long) Math.min(seconds * 1e9, 3_600e9);
        emptyAtNanos.updateAndGet(counted -> Math.min(Math.max(counted, nowNanos), readNanos));
    }

    private Capacity capacity(double perSecond, int slots) {
        long nanosPerItem = Math.clamp(Math.round(1e9 / perSecond), 1, 3_600_000_000_000L);
        return new Capacity(
                nanosPerItem, Math.max(targetMillis * NANOS_PER_MILLI, nanosPerItem) + slots * nanosPerItem);
    }

    private static double perSecond(double known) {
        return known > 0 ? known : Double.POSITIVE_INFINITY;
    }

    private static long total(PartitionBacklog read) {
        return IntStream.range(0, read.partitions()).mapToLong(read::waiting).sum();
    }
}
