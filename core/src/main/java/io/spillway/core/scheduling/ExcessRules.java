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
    /** Shortest and longest first delay of an item. Both double with each of its moves, up to the last bound. */
    private static final long LEAST_DELAY_MILLIS = 1_000;
    private static final long MOST_DELAY_MILLIS = 15_000;
    private static final long LAST_DELAY_MILLIS = 600_000;
    /** Enough to be above the last bound, and no overflow of a long. */
    private static final int MOST_DOUBLINGS = 10;

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
                cut(queue, kept, moved, waiting -> new Excess.ToOverflow<>(waiting.item));
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
                cut(queue, kept, moved, waiting ->
                        new Excess.ToDelay<>(waiting.item, due(tenant, waiting.moves, eachMillis, nowMillis)));
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
            TenantQueue<T> queue, int kept, List<Excess<T>> moved, Function<QueueEntry<T>, Excess<T>> move) {
        QueueEntry<T> waiting = queue.first;
        for (int i = 0; i < kept && waiting != null; i++) {
            waiting = waiting.after;
        }
        while (waiting != null) {
            QueueEntry<T> after = waiting.after;
            queue.lane.remove(queue, waiting);
            moved.add(move.apply(waiting));
            waiting = after;
        }
    }

    /**
     * Returns due times one service time apart: moved items come back as fast as the tenant can run them, by its
     * service time of now. The service time may change, so an estimate that is too long or too short counts only for
     * about as long as the item has waited before. After ten moves that is ten minutes: six moves an hour.
     */
    private static long due(DispatchTenant<?> tenant, int moves, double eachMillis, long nowMillis) {
        double aheadMillis = Math.max(0, tenant.lastDueMillis - nowMillis);
        if (tenant.dueApartMillis > 0) {
            aheadMillis *= eachMillis / tenant.dueApartMillis;
        }
        int doublings = Math.min(moves, MOST_DOUBLINGS);
        long least = Math.min(LAST_DELAY_MILLIS, LEAST_DELAY_MILLIS << doublings);
        long most = Math.min(LAST_DELAY_MILLIS, MOST_DELAY_MILLIS << doublings);
        double delayMillis = Math.min(aheadMillis + eachMillis, most);
        tenant.lastDueMillis = nowMillis + Math.max(Math.min(aheadMillis, LAST_DELAY_MILLIS), delayMillis);
        tenant.dueApartMillis = eachMillis;
        return nowMillis + Math.max((long) delayMillis, least);
    }
}
