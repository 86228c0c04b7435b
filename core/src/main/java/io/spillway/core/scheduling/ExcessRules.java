package io.spillway.core.scheduling;

import java.util.List;
import java.util.function.Function;

/**
 * Selection of the waiting items that move to another lane. It removes the last items of a tenant's queue, in their
 * order: the first ones start soonest, and every item that stays was read before every item that goes.
 *
 * <p>Owner of the buffers: {@link FairDispatch}.
 */
final class ExcessRules<T> {
    /** With fewer tenants, an equal share of the read-ahead would be most of it. */
    private static final int FEW = 4;
    /** A shorter rise is ignored: the items would come back later than the slots. */
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
     * Moves items of hot that would wait long behind items of the same tenant, since new items of other tenants are
     * behind them in the partition. When the whole buffer empties within the buffer time, pausing the reader does less
     * harm than moves, so items stay. A tenant keeps an equal share of the read-ahead: after a stall of the whole
     * worker all tenants have a backlog, and none is the cause.
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
                int kept = Math.max(equalShare, kept(queue, nowNanos));
                cut(queue, kept, FairDispatch.MAX_MOVES - 1, moved, Excess.ToOverflow::new);
                touched.add(queue.tenant);
            }
        }
    }

    /**
     * Moves items of tenants that may not start more, however many slots are free, while slots are idle. Any other full
     * buffer only pauses the reader, which costs nothing.
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
                // One move is kept for the way out of hot, so that an item that has to wait does not wait in hot.
                cut(queue, kept, FairDispatch.MAX_MOVES - 2, moved,
                        item -> new Excess.ToDelay<>(item, due(tenant, eachMillis, nowMillis)));
                touched.add(tenant);
            }
        }
    }

    /** A cap that is still growing does not hold a tenant: it will have grown before the items are back. */
    private static boolean isHeld(DispatchTenant<?> tenant, boolean mayLendLong, long nowNanos) {
        return switch (tenant.standing) {
            case WITHIN, BEYOND -> false;
            case LONG -> !mayLendLong;
            case HELD -> tenant.held || tenant.inFlight >= tenant.concurrency
                    || tenant.adaptive.isRaisedFor(RAISED_NANOS, nowNanos);
        };
    }

    /** Returns how many items, from the head, have an expected wait behind their own tenant within the buffer time. */
    private int kept(TenantQueue<T> queue, long nowNanos) {
        int slots = slots(queue, nowNanos);
        double ahead = settings.hotBufferMillis() * slots / estimate(queue);
        return (int) Math.max(0, Math.min(queue.size, Math.floor(ahead + slots - queue.tenant.inFlight)));
    }

    private int slots(TenantQueue<T> queue, long nowNanos) {
        // Uses the tenant's latency and not its slots, so that the result is the same before and after a start.
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

    /** Returns due times one service time apart: moved items come back as fast as the tenant can run them. */
    private static long due(DispatchTenant<?> tenant, double eachMillis, long nowMillis) {
        double next = Math.max(tenant.nextDueMillis, nowMillis) + eachMillis;
        tenant.nextDueMillis = Math.min(next, nowMillis + MOST_DELAY_MILLIS);
        return Math.clamp((long) next, nowMillis + LEAST_DELAY_MILLIS, nowMillis + MOST_DELAY_MILLIS);
    }
}
