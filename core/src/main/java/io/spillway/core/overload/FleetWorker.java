package io.spillway.core.overload;

import io.spillway.core.item.Lane;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * One worker as a router sees it: when it will have handled what waits for it in each lane, with what goes before it.
 *
 * <p>Thread-safe but for {@link #update}, which is for one thread.
 */
final class FleetWorker {
    private static final long NANOS_PER_MILLI = 1_000_000;
    /** Longest backlog that is told from a longer one. */
    private static final long MOST_NANOS = 365L * 24 * 3_600 * 1_000_000_000;

    /** Least part of a worker for overflow and aged. With less, equal workers that hot fills would differ by chance. */
    private static final double LEAST_IDLE = 0.1;

    final HotGuard guard;
    private final int number;
    /** Whether it ends no attempt, and has a partition with items that makes no progress. */
    volatile boolean stuck;
    /** Whether it ends no attempt, and has no free slot. */
    volatile boolean full;
    /** When it reported the end of an attempt for the last time; for one thread. */
    long endedMillis;
    /**
     * By the last measurement, of what is certainly a backlog: as many items as there are slots run, and as many may be
     * finished and not committed. Of a worker that has just come back nothing else is known.
     */
    private volatile long hotEmptyNanos;
    /** Time that one item of this router to overflow or aged takes, beside hot; a usual one until it is known. */
    private volatile double nanosPerItem = NANOS_PER_MILLI;
    /** By lane; that of hot is unused. */
    private final AtomicLongArray emptyAtNanos = new AtomicLongArray(Lane.WORKED.size());

    /** @param number of the worker in its fleet, 0 or more */
    FleetWorker(ProtectionSettings protection, int number) {
        this.guard = new HotGuard(protection);
        this.number = number;
    }

    /**
     * Returns 0 to 3 items by chance, which differ from worker to worker. Tenants that send in turn would otherwise
     * each get one of several equal workers.
     */
    int byChance(long random) {
        return (int) (random >>> 2 * number & 3);
    }

    /** Returns when an item of a lane would start behind so many more sent now; comparable between workers only. */
    long score(Lane lane, int more, long nowMillis) {
        long emptyNanos = lane == Lane.HOT
                ? Math.max(guard.lane.emptyAtNanos(), hotEmptyNanos) : emptyAtNanos.get(lane.ordinal());
        // Among idle workers the one that has been idle for longest is next.
        return emptyNanos < nowMillis * NANOS_PER_MILLI ? emptyNanos
                : emptyNanos + (lane == Lane.HOT ? guard.lane.nanosPerItem() : (1 + more) * (long) nanosPerItem);
    }

    /** Returns how long an item of overflow or aged would wait if it was sent now, 0 or more. */
    long waitMillis(Lane lane, long nowMillis) {
        return Math.max(0, emptyAtNanos.get(lane.ordinal()) / NANOS_PER_MILLI - nowMillis);
    }

    /** Records an item that this router sent to overflow or aged. */
    void sent(Lane lane, long nowMillis) {
        long nowNanos = nowMillis * NANOS_PER_MILLI;
        long itemNanos = (long) nanosPerItem;
        emptyAtNanos.updateAndGet(lane.ordinal(),
                empty -> Math.min(Math.max(empty, nowNanos) + itemNanos, nowNanos + MOST_NANOS));
    }

    /**
     * Updates the worker by its latest report, which is absent when it does not report any more.
     *
     * @param waiting unfinished items in its partitions at the last measurement, by lane
     * @param isNew   whether there was a measurement since the last call
     */
    void update(
            Optional<WorkerReport> latest, long[] waiting, boolean isNew, int routers, long elapsedMillis,
            long nowMillis, long[] counts) {
        long hot = waiting[Lane.HOT.ordinal()];
        guard.update(latest, hot, isNew, routers, elapsedMillis, nowMillis, counts);
        // What hot takes is not there for the others: they would wait for ever at a worker that hot fills.
        double idle = Math.max(LEAST_IDLE, 1 - guard.lane.load());
        latest.filter(report -> report.possiblePerSecond() > 0).ifPresent(report ->
                nanosPerItem = Math.max(1, 1e9 * routers / report.possiblePerSecond() / idle));
        if (isNew) {
            long running = latest.map(report -> 2L * report.slots()).orElse(0L);
            hotEmptyNanos = emptyNanos(
                    Math.max(0, hot - running), (double) guard.lane.nanosPerItem() / routers, nowMillis);
            measured(hot * idle, waiting, nanosPerItem / routers, nowMillis);
        }
    }

    /** Sets what waits in a partition that no worker is known to own, as {@link #update} does. */
    void assume(long[] waiting, long nowMillis) {
        long hot = waiting[Lane.HOT.ordinal()];
        guard.lane.assume(hot, nowMillis);
        measured(hot, waiting, nanosPerItem, nowMillis);
    }

    private void measured(double hot, long[] waiting, double nanosEach, long nowMillis) {
        double before = hot;
        for (int lane = 1; lane < waiting.length; lane++) {
            before += waiting[lane];
            emptyAtNanos.set(lane, emptyNanos(before, nanosEach, nowMillis));
        }
    }

    private static long emptyNanos(double items, double nanosEach, long nowMillis) {
        return nowMillis * NANOS_PER_MILLI + (long) Math.min(MOST_NANOS, nanosEach * items);
    }
}
