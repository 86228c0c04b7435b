package io.spillway.core.overload;

import io.spillway.core.ratelimit.Gcra;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Whether hot is behind: whether what waits in it will take longer than the target. Any of these signs will do:
 *
 * <ul>
 *   <li>what this router itself has sent lately, less what the workers can have handled meanwhile: the earliest sign, within
 *       the batch that brings a burst. It is kept as the time when hot will be empty, as in {@link Gcra};
 *   <li>what the workers have read and not begun, or what waits in the partitions, over what they can handle;
 *   <li>the age of what they begin;
 *   <li>that no worker is there any more.
 * </ul>
 *
 * <p>Waiting is counted beyond the items that fill the slots: those are being handled. Once behind, the lane stays so until
 * there has been no sign of even half the target for {@value #HOLD_MILLIS} ms. Before a worker has said what it can handle
 * nothing is known, and the lane is not behind.
 *
 * <p>{@link #sent} and {@link #isBehind} are for any number of threads, {@link #look} is for one.
 */
final class HotLane {
    static final long HOLD_MILLIS = 1_000;
    private static final long NANOS_PER_MILLI = 1_000_000;
    /** How far the threads' ideas of now may lie apart; a time further ahead is of a clock that was set back. */
    private static final long MAX_SKEW_NANOS = 1_000 * NANOS_PER_MILLI;

    private final long targetMillis;
    /** When what was sent will be handled, nanoseconds since 1970. */
    private final AtomicLong emptyAtNanos = new AtomicLong();
    private volatile Capacity capacity = Capacity.UNKNOWN;
    private volatile long behindUntilMillis;
    private PartitionBacklog lastRead;

    /**
     * What the workers can do.
     *
     * @param nanosPerItem   0 when not known
     * @param allowanceNanos how far ahead of now {@code emptyAtNanos} may be: the target, and an item for each slot
     */
    private record Capacity(long nanosPerItem, long allowanceNanos) {
        static final Capacity UNKNOWN = new Capacity(0, 0);
    }

    HotLane(long targetMillis) {
        this.targetMillis = targetMillis;
    }

    boolean isBehind(long nowMillis) {
        long leftMillis = behindUntilMillis - nowMillis;
        // A clock that was set back must not leave the lane behind for long.
        return leftMillis > 0 && leftMillis <= HOLD_MILLIS;
    }

    /** An item was put into hot here. */
    void sent(long nowMillis) {
        Capacity now = capacity;
        if (now.nanosPerItem == 0) {
            return;
        }
        long nowNanos = nowMillis * NANOS_PER_MILLI;
        // However wrong the capacity is, it is forgotten a second after the last item.
        long mostNanos = nowNanos + now.allowanceNanos + HOLD_MILLIS * NANOS_PER_MILLI;
        long before;
        long after;
        do {
            before = emptyAtNanos.get();
            long emptyNanos = before > mostNanos + MAX_SKEW_NANOS ? nowNanos : Math.max(before, nowNanos);
            after = Math.min(mostNanos, emptyNanos + now.nanosPerItem);
        } while (!emptyAtNanos.compareAndSet(before, after));
        if (after - nowNanos > now.allowanceNanos) {
            behindUntilMillis = nowMillis + HOLD_MILLIS;
        }
    }

    /**
     * Takes in what is known of the lane.
     *
     * @param reports   of the workers that live
     * @param read      what was read last of its partitions; the same object again tells nothing new
     * @param routers   that send to it, 1 or more: each counts on its part of what the workers can handle
     * @return items a second that the workers can handle for this router, 0 when not known
     */
    double look(List<LaneReport> reports, PartitionBacklog read, int routers, long nowMillis) {
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
        // Slots that are free while items grow old: something else is short, and what is handled is what can be.
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

    /** What was read replaces what was counted, where it is less: the count may be wrong about the capacity. */
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
        long sum = 0;
        for (int partition = 0; partition < read.partitions(); partition++) {
            sum += read.waiting(partition);
        }
        return sum;
    }
}
