package io.spillway.core.overload;

import io.spillway.core.policy.RateLimit;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Backlog of hot at one worker, in time: when the worker will have handled what waits there for it, and whether that is
 * too long. The estimate adds what this router sends and subtracts the worker's capacity, as a {@link RateLimit} does.
 * So it follows a burst within the batch that brings it. Measurements correct it:
 *
 * <ul>
 *   <li>items that the worker has read and not started, or that wait in its partitions, divided by its capacity;
 *   <li>the age of items at their start;
 *   <li>that the worker does not report any more.
 * </ul>
 *
 * <p>These are measurements of one moment, so they count only when they last for {@value #CONFIRM_MILLIS} ms, and only
 * for more than one item: an age does not say where the item was late.
 *
 * <p>Items that fill the slots do not count as waiting. Hot stays behind until no signal has reached half the target
 * for {@value #HOLD_MILLIS} ms. Before the first report of a worker's capacity it is not behind.
 *
 * <p>{@link #update} is for one thread, the others are thread-safe.
 */
final class HotLane {
    static final long HOLD_MILLIS = 1_000;
    /** Two reports of a worker. */
    static final long CONFIRM_MILLIS = 500;
    private static final long NANOS_PER_MILLI = 1_000_000;
    /** Least items of a step. */
    private static final int STEP_ITEMS = 3;
    /**
     * Times of an attempt that hot may hold with slow handlers. So much comes and goes by chance near saturation; the
     * little that is sent to overflow meanwhile would wait for as long as hot takes all slots.
     */
    private static final int SLOW_ATTEMPTS = 3;
    /** Long enough that equal workers look equal: a large backlog is placed by one moment's load. */
    private static final double LOAD_MILLIS = 20_000;
    /** Maximum difference between the times of threads. A time further ahead comes from a clock that was set back. */
    private static final long MAX_SKEW_MILLIS = 1_000;

    private final long targetMillis;
    /** Time when the items sent so far will be handled, nanoseconds since 1970. */
    private final AtomicLong emptyAtNanos = new AtomicLong();
    private volatile Capacity capacity = Capacity.UNKNOWN;
    private volatile long behindUntilMillis;
    /** Items sent since the last update, which a measurement may not include yet. */
    private final AtomicLong sentSinceUpdate = new AtomicLong();
    private final Lasting reported = new Lasting();
    private final Lasting inPartitions = new Lasting();
    private long updatedMillis;
    /** Mean over {@link #LOAD_MILLIS}. */
    private volatile double sentPerSecond;

    /**
     * Capacity of the worker for this router.
     *
     * @param nanosPerItem   0 when not known
     * @param slotsNanos     time of one item for each slot
     * @param allowanceNanos how far {@code emptyAtNanos} may be ahead of now: one item for each slot, plus half the
     *                       target, or one item more if that takes longer
     * @param boundNanos     how far it may be before excess is contained
     * @param stepNanos      how much further each step of {@link #excess} is
     */
    private record Capacity(
            long nanosPerItem, long slotsNanos, long allowanceNanos, long boundNanos, long stepNanos) {
        static final Capacity UNKNOWN = new Capacity(0, 3_600_000_000_000L, 3_600_000_000_000L, 0, 1);
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

    /** Returns when hot will be empty, nanoseconds since 1970; in the past when it has been empty for some time. */
    long emptyAtNanos() {
        return emptyAtNanos.get();
    }

    /** Returns the time that one item of this router takes, above 0; a usual one until it is known. */
    long nanosPerItem() {
        long known = capacity.nanosPerItem;
        return known == 0 ? NANOS_PER_MILLI : known;
    }

    /** Returns the part of the worker's time, for this router, that hot takes; 1 or more when it takes all. */
    double load() {
        return sentPerSecond * nanosPerItem() / 1e9;
    }

    /** Sets what waits where no worker tells its capacity, so that partitions can be compared. */
    void assume(long items, long nowMillis) {
        emptyAtNanos.set(nowMillis * NANOS_PER_MILLI + items * NANOS_PER_MILLI);
    }

    /**
     * Returns how far the backlog is above what hot may have, in steps: 0 or less within it. Hot may have half the
     * target, because as much comes on top that is not estimated: items under way, and excess of one measurement to the
     * next. With slow handlers it may have what starts within {@value #SLOW_ATTEMPTS} times the mean time of an
     * attempt, less the target. A step is a tenth of that, and a few items at least.
     */
    double excess(long nowMillis) {
        Capacity now = capacity;
        long aheadNanos = emptyAtNanos.get() - nowMillis * NANOS_PER_MILLI;
        return (double) (aheadNanos - now.boundNanos) / now.stepNanos;
    }

    /** Returns whether older work can start at once: the items sent need less than half of the slots. */
    boolean hasIdle(long nowMillis) {
        return emptyAtNanos.get() - nowMillis * NANOS_PER_MILLI < capacity.slotsNanos / 2;
    }

    /** Records an item that this router sent to hot. */
    void sent(long nowMillis) {
        Capacity now = capacity;
        long nowNanos = nowMillis * NANOS_PER_MILLI;
        long itemNanos = nanosPerItem();
        long maxNanos = maxNanos(nowMillis);
        long before;
        long after;
        do {
            before = emptyAtNanos.get();
            boolean isOfOtherClock = before > maxNanos + MAX_SKEW_MILLIS * NANOS_PER_MILLI;
            long emptyNanos = isOfOtherClock ? nowNanos : Math.max(before, nowNanos);
            after = Math.min(maxNanos, emptyNanos + itemNanos);
        } while (!emptyAtNanos.compareAndSet(before, after));
        sentSinceUpdate.getAndIncrement();
        if (now.nanosPerItem > 0 && after - nowNanos > now.allowanceNanos) {
            behindUntilMillis = nowMillis + HOLD_MILLIS;
        }
    }

    /**
     * Updates the state by the worker's latest report, which is absent when it does not report any more.
     *
     * @param unfinished items of hot in its partitions, at the last measurement
     * @param isNew      whether there was a measurement since the last call
     * @param routers    live routers; each uses an equal part of the capacity
     * @return items a second that the worker can handle for this router, 0 when not known
     */
    double update(Optional<WorkerReport> latest, long unfinished, boolean isNew, int routers, long nowMillis) {
        long elapsedMillis = Math.clamp(nowMillis - updatedMillis, 0, HOLD_MILLIS);
        updatedMillis = nowMillis;
        long underWay = sentSinceUpdate.getAndSet(0);
        if (elapsedMillis > 0) {
            double weightOfNew = -Math.expm1(-elapsedMillis / LOAD_MILLIS);
            sentPerSecond += weightOfNew * (1e3 * underWay / elapsedMillis - sentPerSecond);
        }
        if (latest.isEmpty()) {
            // Nothing is handled, so the backlog stays as it is.
            emptyAtNanos.addAndGet(elapsedMillis * NANOS_PER_MILLI);
            setBehind(reported.add(capacity != Capacity.UNKNOWN && unfinished > 1, nowMillis), nowMillis);
            return capacity.nanosPerItem == 0 ? 0 : 1e9 / capacity.nanosPerItem;
        }
        WorkerReport report = latest.get();
        // Free slots while items grow old: another resource limits the worker, so the throughput is the capacity.
        double perSecond = report.ageMillis() > targetMillis && report.handledPerSecond() > 0
                ? Math.min(report.hotPerSecond(), report.handledPerSecond()) : report.hotPerSecond();
        if (perSecond > 0) {
            capacity = capacity(perSecond / routers, report.slots());
        }
        double reportedMillis = Math.max(
                report.waiting() > 1 || unfinished > 1 ? report.ageMillis() : 0,
                waitMillis(report.waiting(), perSecond));
        boolean wasBehind = isBehind(nowMillis);
        boolean isLate = reported.add(reportedMillis > targetMillis, nowMillis);
        setBehind(isLate, nowMillis);
        if (isLate || wasBehind && report.waiting() > 1) {
            raise(nowMillis, report.waiting() + report.slots(), perSecond);
        }
        if (isNew) {
            long beyondSlots = Math.max(0, unfinished - report.slots());
            if (capacity.nanosPerItem > 0) {
                lower(nowMillis, beyondSlots + report.slots() + underWay, perSecond);
            }
            double inPartitionsMillis = waitMillis(beyondSlots, perSecond);
            boolean isFull = inPartitions.add(inPartitionsMillis > targetMillis, nowMillis);
            setBehind(isFull, nowMillis);
            if (isFull || wasBehind) {
                raise(nowMillis, unfinished, perSecond);
            }
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
    private void lower(long nowMillis, long items, double perSecond) {
        long nowNanos = nowMillis * NANOS_PER_MILLI;
        long readNanos = emptyAtNanos(nowNanos, items, perSecond);
        emptyAtNanos.updateAndGet(counted -> Math.min(counted, readNanos));
    }

    /** Returns the bound of the estimate: a wrong capacity has an effect for a second after the last item. */
    private long maxNanos(long nowMillis) {
        return (nowMillis + HOLD_MILLIS) * NANOS_PER_MILLI + capacity.allowanceNanos;
    }

    /** Raises the estimate to a backlog that has lasted. */
    private void raise(long nowMillis, long items, double perSecond) {
        long readNanos = Math.min(
                maxNanos(nowMillis), emptyAtNanos(nowMillis * NANOS_PER_MILLI, items, perSecond));
        emptyAtNanos.updateAndGet(counted -> Math.max(counted, readNanos));
    }

    private static long emptyAtNanos(long nowNanos, long items, double perSecond) {
        return nowNanos + (long) Math.min(1e9 * items / perSecond(perSecond), 3_600e9);
    }

    private Capacity capacity(double perSecond, int slots) {
        long nanosPerItem = Math.clamp(Math.round(1e9 / perSecond), 1, 3_600_000_000_000L);
        long targetNanos = targetMillis * NANOS_PER_MILLI;
        long slotsNanos = slots * nanosPerItem;
        long boundNanos = Math.max(targetNanos / 2, SLOW_ATTEMPTS * slotsNanos - targetNanos);
        return new Capacity(nanosPerItem, slotsNanos, slotsNanos + Math.max(targetNanos / 2, nanosPerItem),
                slotsNanos + boundNanos, Math.max(boundNanos / 10, STEP_ITEMS * nanosPerItem));
    }

    private static double perSecond(double known) {
        return known > 0 ? known : Double.POSITIVE_INFINITY;
    }
}
