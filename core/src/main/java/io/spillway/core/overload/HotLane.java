package io.spillway.core.overload;

import io.spillway.core.ratelimit.Gcra;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

/**
 * Detector of a hot lane that is behind: items that wait in it will take longer than the target. Any of these signals
 * suffices:
 *
 * <ul>
 *   <li>items that this router sent, minus the workers' capacity since then. This is the earliest signal, within
 *       the batch that brings a burst. Its state is the time when hot will be empty, as in {@link Gcra};
 *   <li>items read and not started by the workers, or waiting in the partitions, divided by the workers' capacity;
 *   <li>the age of items at their start;
 *   <li>no live worker.
 * </ul>
 *
 * <p>Items that fill the slots do not count as waiting. The lane stays behind until no signal has reached half the
 * target for {@value #HOLD_MILLIS} ms. Before the first report of a worker's capacity the lane is not behind.
 *
 * <p>{@link #sent} and {@link #isBehind} are thread-safe, {@link #update} is for one thread.
 */
final class HotLane {
    static final long HOLD_MILLIS = 1_000;
    private static final long NANOS_PER_MILLI = 1_000_000;
    /** Maximum difference between the threads' clocks. A time further ahead comes from a clock that was set back. */
    private static final long MAX_SKEW_NANOS = 1_000 * NANOS_PER_MILLI;

    private final long targetMillis;
    /** Time when the items sent so far will be handled, nanoseconds since 1970. */
    private final AtomicLong emptyAtNanos = new AtomicLong();
    private volatile Capacity capacity = Capacity.UNKNOWN;
    private volatile long behindUntilMillis;
    private PartitionBacklog lastRead;

    /**
     * Capacity of the workers for this router.
     *
     * @param nanosPerItem   0 when not known
     * @param allowanceNanos how far {@code emptyAtNanos} may be ahead of now: the target plus one item for each slot
     */
    private record Capacity(long nanosPerItem, long allowanceNanos) {
        static final Capacity UNKNOWN = new Capacity(0, 0);
    }

    HotLane(long targetMillis) {
        this.targetMillis = targetMillis;
    }

    boolean isBehind(long nowMillis) {
        long leftMillis = behindUntilMillis - nowMillis;
        // The upper bound releases the lane soon after a clock was set back.
        return leftMillis > 0 && leftMillis <= HOLD_MILLIS;
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
            long emptyNanos = before > maxNanos + MAX_SKEW_NANOS ? nowNanos : Math.max(before, nowNanos);
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
        if (reports.isEmpty()) {
            if (capacity != Capacity.UNKNOWN) {
                behindUntilMillis = nowMillis + HOLD_MILLIS;
            }
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
        boolean isNew = read != lastRead;
        lastRead = read;
        long inPartitions = isNew ? Math.max(0, total(read) - slots) : 0;
        if (isNew && capacity.nanosPerItem > 0) {
            anchor(nowMillis, inPartitions / perSecond(perSecond) + slots / perSecond(perSecond));
        }
        double waitMillis = Math.max(ageMillis, 1e3 * Math.max(waiting, inPartitions) / perSecond(perSecond));
        if (waitMillis > targetMillis || isBehind(nowMillis) && waitMillis > targetMillis / 2.0) {
            behindUntilMillis = nowMillis + HOLD_MILLIS;
        }
        return perSecond / routers;
    }

    /** Lowers the estimate to the backlog that was read: the estimate depends on a capacity that may be wrong. */
    private void anchor(long nowMillis, double seconds) {
        long nowNanos = nowMillis * NANOS_PER_MILLI;
        long readNanos = nowNanos + (long) Math.min(seconds * 1e9, 3_600e9);
        emptyAtNanos.updateAndGet(counted -> Math.min(Math.max(counted, nowNanos), readNanos));
    }

    private Capacity capacity(double perSecond, int slots) {
        long nanosPerItem = Math.clamp(Math.round(1e9 / perSecond), 1, 3_600_000_000_000L);
        return new Capacity(nanosPerItem, targetMillis * NANOS_PER_MILLI + slots * nanosPerItem);
    }

    private static double perSecond(double known) {
        return known > 0 ? known : Double.POSITIVE_INFINITY;
    }

    private static long total(PartitionBacklog read) {
        return IntStream.range(0, read.partitions()).mapToLong(read::waiting).sum();
    }
}
