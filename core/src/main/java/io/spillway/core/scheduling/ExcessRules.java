package io.spillway.core.scheduling;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;

/**
 * Selection of the waiting items that move to another lane. It removes the last items of a tenant's queue, in their
 * order: the first ones start soonest. Of a tenant with workloads these are the last items of the largest ones.
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
    void fromHot(LaneBuffer<T> hot, List<Excess<T>> moved, List<DispatchTenant<T>> touched) {
        double workMillis = 0;
        for (TenantQueue<T> queue : hot.members) {
            workMillis += queue.size * estimate(queue);
        }
        int equalShare = hot.members.size() < FEW ? 0 : settings.readAheadItems() / hot.members.size();
        // With slow handlers as many items as half of the slots are few, and start within about half of an attempt.
        boolean isSoonDone = 2 * hot.items <= settings.slots()
                || workMillis / settings.slots() <= settings.hotBufferMillis();
        for (int i = hot.members.size() - 1; i >= 0; i--) {
            TenantQueue<T> queue = hot.members.get(i);
            if (queue.size <= equalShare) {
                continue;
            }
            int before = moved.size();
            Function<QueueEntry<T>, Excess<T>> move = waiting -> new Excess.ToOverflow<>(waiting.item);
            for (WorkloadQueue<T> part : cappedParts(queue)) {
                int kept = Math.max(kept(part), part.size - (queue.size - equalShare));
                cut(queue, part, part, kept, moved, move);
            }
            int most = Math.clamp(queue.tenant.concurrency, 1, settings.slots());
            double eachMillis = estimate(queue);
            if (!isSoonDone || queue.size * eachMillis / most > Math.max(settings.hotBufferMillis(), eachMillis / 2)) {
                cut(queue, Math.max(equalShare, kept(queue)), moved, move);
            }
            if (moved.size() > before) {
                touched.add(queue.tenant);
            }
        }
    }

    /**
     * Moves items of tenants and workloads that may not start more, however many slots are free, while slots are idle.
     * Any other full buffer only pauses the reader, which costs nothing.
     */
    void fromBacklog(
            LaneBuffer<T> lane, long nowMillis, long nowNanos, List<Excess<T>> moved, List<DispatchTenant<T>> touched) {
        if (pool.isFull()) {
            return;
        }
        for (int i = lane.members.size() - 1; i >= 0; i--) {
            TenantQueue<T> queue = lane.members.get(i);
            DispatchTenant<T> tenant = queue.tenant;
            if (isHeld(tenant, nowNanos)) {
                double eachMillis = estimate(queue) / slots(queue);
                int kept = Math.max(1, kept(queue));
                cut(queue, kept, moved, waiting ->
                        new Excess.ToDelay<>(waiting.item, due(tenant, waiting.moves(), eachMillis, nowMillis)));
                touched.add(tenant);
                continue;
            }
            for (WorkloadQueue<T> part : cappedParts(queue)) {
                DispatchWorkload<T> workload = part.workload;
                if (workload.isAtCap()) {
                    double eachMillis = estimate(part) / Math.max(1, workload.concurrency);
                    cut(queue, part, part, Math.max(1, kept(part)), moved, waiting ->
                            new Excess.ToDelay<>(waiting.item, due(workload, waiting.moves(), eachMillis, nowMillis)));
                }
            }
        }
    }

    /** Returns the queues of workloads with a concurrency and items in the lane. */
    private static <T> List<WorkloadQueue<T>> cappedParts(TenantQueue<T> queue) {
        return queue.workloads == null ? List.of()
                : queue.parts().stream().filter(part -> part.workload.concurrency < Integer.MAX_VALUE).toList();
    }

    /** Returns how many items of a workload have an expected wait behind it within the buffer time. */
    private int kept(WorkloadQueue<T> part) {
        double atOnce = Math.max(1, part.workload.concurrency);
        double ahead = settings.hotBufferMillis() * atOnce / estimate(part);
        return (int) Math.max(0, Math.min(part.size, Math.floor(ahead + atOnce - part.workload.inFlight)));
    }

    private double estimate(WorkloadQueue<T> part) {
        return part.workload.estimateMillis(estimate(part.of));
    }

    /** A cap that is still growing does not hold a tenant: it will have grown before the items are back. */
    private static boolean isHeld(DispatchTenant<?> tenant, long nowNanos) {
        return switch (tenant.standing) {
            case WITHIN, BEYOND, LONG -> false;
            case HELD -> tenant.isHeld || tenant.inFlight >= tenant.concurrency
                    || tenant.adaptive.isRaisedFor(RAISED_NANOS, nowNanos);
        };
    }

    /** Returns how many items, from the head, have an expected wait behind their own tenant within the buffer time. */
    private int kept(TenantQueue<T> queue) {
        int slots = slots(queue);
        double ahead = settings.hotBufferMillis() * slots / estimate(queue);
        return (int) Math.max(0, Math.min(queue.size, Math.floor(ahead + slots - queue.tenant.inFlight)));
    }

    private int slots(TenantQueue<T> queue) {
        // Uses the tenant's latency and not its slots, so that the result is the same before and after a start.
        return pool.within(queue.tenant);
    }

    private double estimate(TenantQueue<T> queue) {
        return queue.tenant.estimateMillis(queue.lane.averageMillis());
    }

    /** Cuts a tenant's queue. With workloads the longest of their queues are cut, to the same length. */
    private void cut(TenantQueue<T> queue, int kept, List<Excess<T>> moved, Function<QueueEntry<T>, Excess<T>> move) {
        if (queue.workloads == null) {
            cut(queue, null, queue, kept, moved, move);
            return;
        }
        List<WorkloadQueue<T>> parts = new ArrayList<>(queue.parts());
        parts.sort(Comparator.comparingInt(part -> part.size));
        int left = kept;
        for (int i = 0; i < parts.size(); i++) {
            WorkloadQueue<T> part = parts.get(i);
            int ofPart = Math.min(part.size, left / (parts.size() - i));
            left -= ofPart;
            cut(queue, part, part, ofPart, moved, move);
        }
    }

    private void cut(
            TenantQueue<T> queue, WorkloadQueue<T> part, EntryQueue<T> items, int kept, List<Excess<T>> moved,
            Function<QueueEntry<T>, Excess<T>> move) {
        for (QueueEntry<T> waiting : items.tail(items.size - kept)) {
            queue.lane.remove(queue, part, waiting);
            moved.add(move.apply(waiting));
        }
    }

    /**
     * Returns due times one service time apart: moved items come back as fast as the tenant or workload can run them,
     * by its service time of now. The service time may change, so an estimate that is too long or too short counts only
     * for about as long as the item has waited before. After ten moves that is ten minutes: six moves an hour.
     */
    private static long due(SlotUser user, int moves, double eachMillis, long nowMillis) {
        double aheadMillis = Math.max(0, user.lastDueMillis - nowMillis);
        if (user.dueApartMillis > 0) {
            aheadMillis *= eachMillis / user.dueApartMillis;
        }
        int doublings = Math.min(moves, MOST_DOUBLINGS);
        long least = Math.min(LAST_DELAY_MILLIS, LEAST_DELAY_MILLIS << doublings);
        long most = Math.min(LAST_DELAY_MILLIS, MOST_DELAY_MILLIS << doublings);
        double delayMillis = Math.min(aheadMillis + eachMillis, most);
        user.lastDueMillis = nowMillis + Math.max(Math.min(aheadMillis, LAST_DELAY_MILLIS), delayMillis);
        user.dueApartMillis = eachMillis;
        return nowMillis + Math.max((long) delayMillis, least);
    }
}
