package io.spillway.core.scheduling;

import io.spillway.core.item.ItemLimits;
import io.spillway.core.item.Lane;
import io.spillway.core.policy.TenantPolicy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Fair scheduler of one worker: decides which waiting item a free slot takes, and which waiting items move to another
 * lane.
 *
 * <ul>
 * <li>Lanes have strict priority: hot, overflow, aged. Overflow and aged still get a small share of the starts, and
 * aged of the slots while other workers have live work, so that they never starve (see {@link Trickle}).
 * <li>Within a lane, deficit round robin in slot-milliseconds (see {@link Rounds}): a start is charged the tenant's
 * average, and the end corrects it to the real duration. The workloads of one tenant take turns by the same rule, each
 * within its own concurrency. Within a workload, items with a higher priority go first for minutes.
 * <li>A tenant below its fair share may take any slot, one beyond it only what others do not need soon (see
 * {@link SlotPool}).
 * <li>A tenant's cap is this worker's part of its policy's concurrency and, beyond its fair share, its
 * {@link AdaptiveCap}. The adaptive cap never takes away the fair share: a slow destination costs its own tenant
 * slot-milliseconds anyway, and a slow worker must not throttle all tenants.
 * </ul>
 *
 * <p>Mutable, not thread-safe. Owner: the worker, which calls it under its lock. Bounds: a lane's buffer accepts every
 * offer, so the worker reads a source only while it {@link #hasRoom}: the buffer then holds at most its read-ahead, and
 * a fiftieth of it and one poll batch of each source. {@link TenantTable} bounds the tenants, {@link TenantWorkloads}
 * their workloads. {@code nowNanos} is a monotonic clock of any origin.
 */
public final class FairDispatch<T> {
    private static final double NANOS_PER_MILLI = 1e6;
    /** Part of the read-ahead, of which each source has one at least. */
    private static final int LEAST_PART = 50;

    private final DispatchSettings settings;
    final SlotPool pool;
    final TenantTable<T> tenants = new TenantTable<>();
    private final List<DispatchTenant<T>> running = new ArrayList<>();
    final List<LaneBuffer<T>> lanes;
    private final ExcessRules<T> excessRules;
    private int atCap;
    private Optional<String> heldTenant = Optional.empty();

    /** Creates an idle scheduler. */
    public FairDispatch(DispatchSettings settings) {
        this.settings = settings;
        this.pool = new SlotPool(settings);
        this.excessRules = new ExcessRules<>(settings, pool);
        this.lanes = List.of(
                new LaneBuffer<>(Lane.HOT, new Trickle(0, settings.slots())),
                new LaneBuffer<>(Lane.OVERFLOW, new Trickle(settings.overflowTrickle(), settings.slots())),
                new LaneBuffer<>(Lane.AGED, new Trickle(settings.agedTrickle(), settings.slots())));
    }

    /**
     * Adds an item without workload and priority that was read. It is always accepted; see {@link #hasRoom}.
     *
     * @param lane   hot, overflow or aged
     * @param policy the tenant's current policy; it applies to all of the tenant's items from now on
     * @param moves  moves it has made, 0 or more
     * @throws IllegalArgumentException when the lane is another one, or the number is negative
     */
    public void offer(Lane lane, String tenant, TenantPolicy policy, T item, int moves) {
        offer(lane, tenant, "", policy, item, moves, ItemLimits.NORMAL_PRIORITY, 0);
    }

    /**
     * Adds an item as {@link #offer(Lane, String, TenantPolicy, Object, int)} does.
     *
     * @param workload         empty for none
     * @param priority         0 to {@link ItemLimits#MAX_PRIORITY}
     * @param enqueuedAtMillis time from which a priority counts, epoch milliseconds
     */
    public void offer(
            Lane lane, String tenant, String workload, TenantPolicy policy, T item, int moves, int priority,
            long enqueuedAtMillis) {
        if (moves < 0 || priority < 0 || priority > ItemLimits.MAX_PRIORITY) {
            throw new IllegalArgumentException("moves = " + moves + ": must be 0 or more; priority = " + priority
                    + ": must be from 0 to " + ItemLimits.MAX_PRIORITY);
        }
        LaneBuffer<T> buffer = buffer(lane);
        DispatchTenant<T> owner = tenants.busy(tenant, policy.weight());
        if (owner.weight != policy.weight()) {
            tenants.changeWeight(owner, policy.weight());
        }
        owner.limit(policy.concurrency(), tenants.shares, tenant, "");
        owner.isHeld = heldTenant.isPresent() && heldTenant.get().equals(tenant);
        followWeights();
        update(owner);
        DispatchWorkload<T> part = owner.workload(workload, policy);
        if (part != null && !part.isShared) {
            part.limit(policy.workload(workload), tenants.shares, tenant);
        }
        buffer.add(owner.queue(buffer), part, new QueueEntry<>(item, moves, priority, enqueuedAtMillis));
    }

    /**
     * Fills one free slot, unless nothing may start.
     *
     * @param liveLanesCaughtUp whether hot and overflow are caught up on all workers
     * @return the lease, which must be passed to {@link #ended} or {@link #cancelled} once
     */
    public Optional<SlotLease<T>> take(boolean liveLanesCaughtUp, long nowNanos) {
        tenants.expire(nowNanos);
        pool.at(nowNanos);
        followWeights();
        if (pool.isFull()) {
            return Optional.empty();
        }
        TenantQueue<T> queue = next(liveLanesCaughtUp, pool.mayLend(), pool.mayLendLong());
        return queue == null ? Optional.empty() : Optional.of(start(queue, nowNanos));
    }

    /** Applies this worker's parts of the concurrency limits, and returns its demand under those with items. */
    public Map<String, ConcurrencyShares.Demand> share(ConcurrencyShares next) {
        return tenants.share(next, this::update);
    }

    /** Starts no item of this tenant from now on, and those of the tenant that was held before; empty for none. */
    public void hold(Optional<String> tenant) {
        if (!tenant.equals(heldTenant)) {
            heldTenant.ifPresent(before -> setHeld(before, false));
            tenant.ifPresent(now -> setHeld(now, true));
            heldTenant = tenant;
        }
    }

    private void setHeld(String name, boolean held) {
        DispatchTenant<T> tenant = tenants.tenants.get(name);
        if (tenant != null) {
            tenant.isHeld = held;
            update(tenant);
        }
    }

    /**
     * Ends an attempt, whatever its outcome, and frees its slot. Throws {@link IllegalStateException} when it has
     * already ended.
     */
    public void ended(SlotLease<T> start, long nowNanos) {
        DispatchTenant<T> tenant = release(start, nowNanos);
        LaneBuffer<T> lane = start.queue().lane;
        double millis = Math.max(0, (nowNanos - start.startedNanos) / NANOS_PER_MILLI);
        tenant.attemptEnded(millis);
        lane.attemptEnded(millis);
        pool.measured(start.expectedEnd, millis);
        tenant.adaptive.ended(start.cohort, millis, tenant.inFlight, settings.slots(), nowNanos);
        if (start.workload() != null) {
            start.workload().workload.attemptEnded(millis);
        }
        lane.charge(start.queue(), start.workload(), Math.max(SlotUser.LEAST_MILLIS, millis) - start.chargedMillis);
        update(tenant);
        idleIfDone(tenant, nowNanos);
    }

    /** Frees the slot of an item that was not attempted, as {@link #ended} does. Nothing is measured or charged. */
    public void cancelled(SlotLease<T> start, long nowNanos) {
        DispatchTenant<T> tenant = release(start, nowNanos);
        LaneBuffer<T> own = start.queue().lane;
        own.charge(start.queue(), start.workload(), -start.chargedMillis);
        tenant.adaptive.cancelled(start.cohort);
        lanes.forEach(lane -> lane.trickle.cancelled(lane == own));
        update(tenant);
        idleIfDone(tenant, nowNanos);
    }

    /**
     * Removes from the buffers the items that move to another lane, in each tenant's order. Call it after each batch of
     * offers, when {@link #take} has filled the slots.
     */
    public List<Excess<T>> excess(long nowMillis, long nowNanos) {
        List<Excess<T>> moved = new ArrayList<>();
        List<DispatchTenant<T>> touched = new ArrayList<>();
        excessRules.fromHot(lanes.getFirst(), moved, touched);
        for (LaneBuffer<T> lane : lanes.subList(Lane.OVERFLOW.ordinal(), LaneBuffer.COUNT)) {
            if (lane.items >= settings.stalledItems() || 2 * lane.heldBytes >= settings.readAheadBytes()) {
                excessRules.fromBacklog(lane, nowMillis, nowNanos, moved, touched);
            }
        }
        touched.forEach(tenant -> idleIfDone(tenant, nowNanos));
        return moved;
    }

    /**
     * Removes waiting items, for example those of revoked partitions. Attempts in flight are not touched.
     *
     * @param gone called once for each waiting item; of this scheduler it may call {@link #hold(Lane, int, long)} alone
     */
    public void removeIf(Predicate<T> gone, long nowNanos) {
        lanes.forEach(lane -> lane.removeIf(gone, tenant -> idleIfDone(tenant, nowNanos)));
    }

    /** Visits waiting items of a lane, tenant by tenant; throws as {@link #hasRoom} does. */
    public void visit(Lane lane, WaitingVisitor<T> visitor) {
        buffer(lane).members.forEach(queue -> queue.visitItems(visitor));
    }

    /**
     * Changes the number and size of all items of a lane that are in memory: those that wait here, run, are suspects,
     * or wait for a commit before they are offered. Throws as {@link #hasRoom} does.
     *
     * @param items number of those that were read, negative when their memory is free again
     * @param bytes their size, likewise
     */
    public void hold(Lane lane, int items, long bytes) {
        LaneBuffer<T> buffer = buffer(lane);
        buffer.heldItems += items;
        buffer.heldBytes += bytes;
    }

    /**
     * Returns whether a source may be read that holds this much of a lane's read-ahead: less than what is left, or a
     * fiftieth of its items. Throws {@link IllegalArgumentException} when the lane is not hot, overflow or aged.
     *
     * @param items of the source that were read and have not ended
     * @param bytes their size
     */
    public boolean hasRoom(Lane lane, int items, long bytes) {
        LaneBuffer<T> buffer = buffer(lane);
        int itemsLeft = settings.readAheadItems() - Math.max(buffer.items, buffer.heldItems);
        return items < Math.max(itemsLeft, settings.readAheadItems() / LEAST_PART)
                && bytes < settings.readAheadBytes() - buffer.heldBytes;
    }

    /** Returns the items in a lane's buffer; throws as {@link #hasRoom} does. */
    public int waiting(Lane lane) {
        return buffer(lane).items;
    }

    /** Returns how many tenants hold as many slots as their own cap allows. */
    public int tenantsAtCap() {
        return atCap;
    }

    /** Returns the keys ({@link ConcurrencyShares#key}) of the limits that hold items back now. */
    public Set<String> limitsAtCap() {
        return tenants.limitsAtCap();
    }

    private LaneBuffer<T> buffer(Lane lane) {
        if (lane.ordinal() >= LaneBuffer.COUNT) {
            throw new IllegalArgumentException("lane = " + lane.label() + ": must be hot, overflow or aged");
        }
        return lanes.get(lane.ordinal());
    }

    private TenantQueue<T> next(boolean liveLanesCaughtUp, boolean mayLend, boolean mayLendLong) {
        TenantQueue<T> next = null;
        for (int i = 0; i < LaneBuffer.COUNT && next == null; i++) {
            LaneBuffer<T> lane = lanes.get(i);
            next = lane.trickle.isDue(lane.inFlight) ? lane.next(mayLend, mayLendLong) : null;
        }
        // What a tenant is entitled to goes before long work that borrows, whatever its lane.
        next = next == null ? buffer(Lane.HOT).next(mayLend, false) : next;
        next = next == null ? buffer(Lane.OVERFLOW).next(false, false) : next;
        for (int i = 0; i < LaneBuffer.COUNT && next == null; i++) {
            LaneBuffer<T> lane = lanes.get(i);
            boolean mayRun = lane.lane != Lane.AGED || liveLanesCaughtUp || lane.inFlight < lane.trickle.slots;
            next = mayRun ? lane.next(mayLend, mayLendLong) : null;
        }
        return next;
    }

    private SlotLease<T> start(TenantQueue<T> queue, long nowNanos) {
        DispatchTenant<T> tenant = queue.tenant;
        LaneBuffer<T> lane = queue.lane;
        lanes.forEach(each -> each.trickle.started(each == lane));
        double chargeMillis = tenant.estimateMillis(lane.averageMillis());
        WorkloadQueue<T> from = null;
        if (queue.workloads != null) {
            from = queue.workloads.next();
            chargeMillis = from.workload.estimateMillis(chargeMillis);
        }
        boolean isBorrowed = tenant.standing != SlotEntitlement.WITHIN;
        QueueEntry<T> waiting = lane.serve(queue, from, chargeMillis);
        lane.inFlight++;
        boolean isKnown = (from == null ? tenant : from.workload).isEstimated();
        int expectedEnd = pool.started(isBorrowed, isKnown ? chargeMillis : Double.POSITIVE_INFINITY);
        if (tenant.inFlight == 0) {
            tenant.runningIndex = running.size();
            running.add(tenant);
        }
        tenant.attemptStarted(nowNanos);
        int cohort = tenant.adaptive.started(tenant.inFlight, nowNanos);
        update(tenant);
        if (from != null) {
            from.workload.use(1);
        }
        TurnQueue<T> source = from == null ? queue : from;
        return new SlotLease<>(waiting.item, source, nowNanos, chargeMillis, expectedEnd, cohort);
    }

    private DispatchTenant<T> release(SlotLease<T> start, long nowNanos) {
        if (start.ended) {
            throw new IllegalStateException("this attempt has already ended");
        }
        start.ended = true;
        DispatchTenant<T> tenant = start.queue().tenant;
        start.queue().lane.inFlight--;
        pool.at(nowNanos);
        pool.ended(start.expectedEnd);
        tenant.attemptLeft(start.startedNanos);
        if (tenant.inFlight == 0) {
            DispatchTenant<T> last = running.removeLast();
            if (last != tenant) {
                running.set(tenant.runningIndex, last);
                last.runningIndex = tenant.runningIndex;
            }
        }
        if (start.workload() != null) {
            start.workload().workload.use(-1);
        }
        return tenant;
    }

    private void idleIfDone(DispatchTenant<T> tenant, long nowNanos) {
        if (!tenant.isBusy() && !tenant.idle) {
            update(tenant); // Otherwise one that is forgotten would count for ever.
            tenants.idle(tenant, nowNanos);
        }
    }

    /** Updates only tenants in flight: one without slots is within any share. */
    private void followWeights() {
        if (pool.isOutdated(tenants.activeWeight(), tenants.active)) {
            pool.setActive(tenants.activeWeight(), tenants.active);
            running.forEach(this::update);
        }
    }

    /** Updates a tenant's entitlement to the slots it holds and its latency. */
    private void update(DispatchTenant<T> tenant) {
        SlotEntitlement before = tenant.standing;
        pool.update(tenant);
        if (tenant.standing != before) {
            atCap += (tenant.standing == SlotEntitlement.HELD ? 1 : 0) - (before == SlotEntitlement.HELD ? 1 : 0);
            for (LaneBuffer<T> lane : lanes) {
                TenantQueue<T> queue = tenant.queueOrNull(lane.index());
                if (queue != null && queue.size > 0) {
                    lane.reposition(queue);
                }
            }
        }
    }
}
