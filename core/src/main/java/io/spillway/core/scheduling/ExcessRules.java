package io.spillway.core.scheduling;

import java.util.List;
import java.util.function.Function;

/**
 * Which waiting items must make room. The owner of the buffers is {@link FairDispatch}; this class takes items out of
 * them only in its name.
 *
 * <p>Of a tenant the items furthest back go, and they go in their order: those at the head start soonest, and each that
 * stays was read before each that goes.
 */
final class ExcessRules<T> {
    /** Among fewer tenants an equal share of the read-ahead would be most of it. */
    private static final int FEW = 4;
    /** A latency that is up for less is not moved for: the items would come back later than the slots. */
    private static final long RAISED_NANOS = 5_000_000_000L;
    private static final long LEAST_DELAY_MILLIS = 1_000;
    private static final long MOST_DELAY_MILLIS = 600_000;

    private final DispatchSettings settings;
    private final SlotPool pool;

    ExcessRules(DispatchSettings settings, SlotPool pool) {
        this.settings = settings;
        this.pool = pool;
    }

    /**
     * Moves what would wait for long behind its own tenant's items, since others' fresh work is behind it in the
     * partition. When all that waits is worked off within the buffer time anyway, a pause of reading does less harm than
     * the moves would. Nobody's items go while they are no more than an equal share of the read-ahead: after a stall of the
     * whole worker every tenant has some, and none of them is the noisy one.
     */
    void fromHot(LaneBuffer<T> hot, long nowNanos, List<Excess<T>> moved, List<DispatchTenant<T>> touched) {
        double workMillis = 0;
        for (TenantQueue<T> queue : hot.members) {
            workMillis += queue.size * estimate(queue);
        }
        int equalShare = hot.members.size() < FEW ? 0 : settings.readAheadItems() / hot.members.size();
        boolean isSoonDone = workMillis / settings.slots() <= settings.hotBufferMillis();
        for (int i = hot.members.size() - 1; i >= 0; i--) {
            TenantQueue<T> queue = hot.members.get(i);
            int most = Math.min(queue.tenant.concurrency, settings.slots());
            if (queue.size > equalShare
                    && (!isSoonDone || queue.size * estimate(queue) / most > settings.hotBufferMillis())) {
                cut(queue, Math.max(equalShare, kept(queue, nowNanos)), FairDispatch.MAX_MOVES - 1, moved, Excess.ToOverflow::new);
                touched.add(queue.tenant);
            }
        }
    }

    /**
     * Moves what stands in front of others' work while slots are idle: the items of tenants that may not start more
     * however many slots are free. Whatever else fills the buffer only pauses reading, which costs nothing.
     */
    void fromBacklog(
            LaneBuffer<T> lane, long nowMillis, long nowNanos, List<Excess<T>> moved, List<DispatchTenant<T>> touched) {
        if (pool.isFull()) {
            return;
        }
        boolean mayLendLong = pool.mayLendLong(nowNanos);
        for (int i = lane.members.size() - 1; i >= 0; i--) {
            TenantQueue<T> queue = lane.members.get(i);
            DispatchTenant<T> tenant = queue.tenant;
            if (isHeld(tenant, mayLendLong, nowNanos)) {
                double eachMillis = estimate(queue) / slots(queue, nowNanos);
                int kept = Math.max(1, kept(queue, nowNanos));
                // One move is left for the way back out of hot, so that who waits for good does not wait there.
                cut(queue, kept, FairDispatch.MAX_MOVES - 2, moved,
                        item -> new Excess.ToDelay<>(item, due(tenant, eachMillis, nowMillis)));
                touched.add(tenant);
            }
        }
    }

    /** A cap that only has not grown yet holds nobody: it will have before the items could be back. */
    private static boolean isHeld(DispatchTenant<?> tenant, boolean mayLendLong, long nowNanos) {
        return switch (tenant.standing) {
            case WITHIN, BEYOND -> false;
            case LONG -> !mayLendLong;
            case HELD -> tenant.inFlight >= tenant.concurrency || tenant.adaptive.isRaisedFor(RAISED_NANOS, nowNanos);
        };
    }

    /** Items of a queue, from its head, whose expected wait behind their own tenant's is within the buffer time. */
    private int kept(TenantQueue<T> queue, long nowNanos) {
        int slots = slots(queue, nowNanos);
        double ahead = settings.hotBufferMillis() * slots / estimate(queue);
        return (int) Math.max(0, Math.min(queue.size, Math.floor(ahead + slots - queue.tenant.inFlight)));
    }

    private int slots(TenantQueue<T> queue, long nowNanos) {
        // Judged by what its work is like and not by what it holds: the lane must be judged the same before and after.
        return pool.within(queue.tenant, queue.tenant.isLong, nowNanos);
    }

    private double estimate(TenantQueue<T> queue) {
        return queue.tenant.estimateMillis(queue.lane.averageMillis());
    }

    private void cut(
            TenantQueue<T> queue, int kept, int mostMoves, List<Excess<T>> moved, Function<T, Excess<T>> move) {
        QueueEntry<T> waiting = queue.first;
        for (int i = 0; i < kept && waiting != null; i++) {
            waiting = waiting.after;
        }
        while (waiting != null) {
            QueueEntry<T> after = waiting.after;
            if (waiting.moves <= mostMoves) {
                queue.lane.remove(queue, waiting);
                moved.add(move.apply(waiting.item));
            }
            waiting = after;
        }
    }

    /** Due times a service time apart, so that what is moved comes back as fast as its tenant can take it. */
    private static long due(DispatchTenant<?> tenant, double eachMillis, long nowMillis) {
        double next = Math.max(tenant.nextDueMillis, nowMillis) + eachMillis;
        tenant.nextDueMillis = Math.min(next, nowMillis + MOST_DELAY_MILLIS);
        return Math.clamp((long) next, nowMillis + LEAST_DELAY_MILLIS, nowMillis + MOST_DELAY_MILLIS);
    }
}
