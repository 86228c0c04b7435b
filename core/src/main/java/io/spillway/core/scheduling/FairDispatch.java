package io.spillway.core.scheduling;

import io.spillway.core.item.ItemLimits;
import io.spillway.core.item.Lane;
import io.spillway.core.policy.TenantPolicy;
import io.spillway.core.policy.WorkloadPolicy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.BiPredicate;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Fair scheduler of one worker: decides which waiting item a free slot takes, and which waiting items move to another
 * lane.
 *
 * <ul>
 * <li>Lanes have strict priority: hot, overflow, aged. Overflow and aged still get a small share of the starts, and
 * aged of the slots while other workers have live work, so that they never starve (see {@link LaneBuffer}).
 * <li>Within a lane, deficit round robin in slot-milliseconds (see {@link Turns}): a start is charged the tenant's
 * average, and the end corrects it to the real duration. The workloads of one tenant take turns by the same rule, each
 * within its own concurrency. Within a workload, items with a higher priority go first for minutes.
 * <li>A tenant below its fair share may take any slot, one beyond it only what others do not need soon (see
 * {@link SlotPool}).
 * <li>A tenant or a workload with a rate of attempts starts no more than this worker's part of it ({@link StartRate}).
 * What several tenants call can have a limit too ({@link Destinations}).
 * <li>A tenant's cap is this worker's part of its policy's concurrency and, beyond its fair share, its
 * {@link AdaptiveCap}. The adaptive cap never takes away the fair share: a slow destination costs its own tenant
 * slot-milliseconds anyway, and a slow worker must not throttle all tenants.
 * <li>Riders share the slot of an item of their own workload and lane ({@link #takeWith}). Each counts under every
 * concurrency and rate. None is charged: the first item is charged the whole time of the slot, which for n items is n
 * times an n-th, and all of them are charged to the same queues.
 * </ul>
 *
 * <p>Mutable, not thread-safe. Owner: the worker, which calls it under its lock. Bounds: a lane's buffer accepts every
 * offer, so the worker reads a source only while it {@link #hasRoom}: the buffer then holds at most its read-ahead, and
 * a fiftieth of it and one poll batch of each source. {@link TenantTable} bounds the tenants, {@link Workloads}
 * their workloads. {@code nowNanos} is a monotonic clock of any origin.
 */
public final class FairDispatch<T> {
    private final DispatchSettings settings;
    final SlotPool pool;
    final TenantTable<T> tenants = new TenantTable<>();
    final Lanes<T> lanes;
    private final ExcessRules<T> excessRules;
    private final Pacing<T> pacing = new Pacing<>();
    private final SlotUsers<T> users;
    private final Destinations<T> destinations;
    private MaxMinSlots shares = MaxMinSlots.ALONE;

    /** Creates an idle scheduler. */
    public FairDispatch(DispatchSettings settings) {
        this.settings = settings;
        this.pool = new SlotPool(settings);
        this.excessRules = new ExcessRules<>(settings, pool);
        this.lanes = new Lanes<>(settings);
        this.users = new SlotUsers<>(pool, lanes, pacing);
        this.destinations = users.destinations();
    }

    /**
     * Adds an item that was read. It is always accepted; see {@link #hasRoom}.
     *
     * @param lane             hot, overflow or aged
     * @param workload         empty for none
     * @param policy           the tenant's current policy; it applies to all of the tenant's items from now on
     * @param moves            moves it has made, 0 or more
     * @param priority         0 to {@link ItemLimits#MAX_PRIORITY}
     * @param enqueuedAtMillis time from which a priority counts, epoch milliseconds
     * @return the item as it waits, for {@link #withdraw}
     * @throws IllegalArgumentException when the lane is another one, or a number is out of its range
     */
    public SlotLease<T> offer(
            Lane lane, String tenant, String workload, TenantPolicy policy, T item, int moves, int priority,
            long enqueuedAtMillis) {
        SlotLease<T> waiting = new SlotLease<>(item, moves, priority, enqueuedAtMillis);
        LaneBuffer<T> buffer = lanes.of(lane);
        FairNode<T> owner = limited(tenant, policy);
        FairNode<T> leaf = owner.leaf(workload, policy);
        limit(leaf, owner, policy);
        waiting.queue = leaf.queue(buffer);
        waiting.queue.add(waiting);
        return waiting;
    }

    private FairNode<T> limited(String tenant, TenantPolicy policy) {
        FairNode<T> owner = tenants.busy(tenant, policy.weight());
        owner.limit(policy.concurrency(), StartRate.thousandths(policy.attemptRate()), shares);
        users.followWeights(tenants);
        users.update(owner);
        return owner;
    }

    private void limit(FairNode<T> leaf, FairNode<T> owner, TenantPolicy policy) {
        if (leaf != owner && !leaf.isShared) {
            WorkloadPolicy limits = policy.workload(leaf.name);
            leaf.weight = limits.weight();
            leaf.limit(limits.concurrency(), StartRate.thousandths(limits.attemptRate()), shares);
        }
        destinations.follow(leaf, policy, shares);
    }

    /** Applies the current policies, by an item, to the tenants and workloads with waiting items. */
    public void followPolicies(Function<T, TenantPolicy> policyOf) {
        for (FairNode<T> tenant : tenants.tenants.values()) {
            if (tenant.waiting == 0) {
                continue;
            }
            for (FairNode<T> leaf : tenant.isDivided() ? tenant.children() : List.of(tenant)) {
                SlotLease<T> waiting = leaf.anyWaiting();
                if (waiting != null) {
                    TenantPolicy policy = policyOf.apply(waiting.item());
                    limit(leaf, limited(tenant.name, policy), policy);
                }
            }
        }
    }

    /** Removes an item that was not taken since it was offered, before another one is. */
    public void withdraw(SlotLease<T> waiting, long nowNanos) {
        waiting.queue.remove(waiting);
        FairNode<T> tenant = waiting.queue.node.tenant();
        users.update(tenant);
        idleIfDone(tenant, nowNanos);
    }

    /** Returns whether a slot is free. */
    public boolean hasFreeSlot() {
        return !pool.isFull();
    }

    /** Returns whether an item of a tenant waits. */
    public boolean isWaiting(String tenant) {
        FairNode<T> node = tenants.tenants.get(tenant);
        return node != null && node.waiting > 0;
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
        pacing.wake(nowNanos, this::follow);
        destinations.freeChanged(nowNanos);
        users.followWeights(tenants);
        if (pool.isFull()) {
            return Optional.empty();
        }
        FairQueue<T> next;
        do {
            FairQueue<T> queue = lanes.next(liveLanesCaughtUp, pool.mayLend(), pool.mayLendLong());
            next = queue == null ? null : queue.leaf();
        } while (next != null && destinations.putsAside(next.node));
        return next == null ? Optional.empty() : Optional.of(users.start(next, nowNanos));
    }

    /**
     * Takes the next waiting item of the same workload and lane as a rider of a started one, for a handler that takes
     * several items in one call.
     *
     * @param lead    as {@link #take} returned it, before anything else was offered or ended
     * @param mayRide whether an item may be attempted together with others; one that may not waits for its turn
     * @return the rider, which must be passed to {@link #ended} or {@link #cancelled} once; empty if none waits or may
     *         be attempted now
     */
    public Optional<SlotLease<T>> takeWith(SlotLease<T> lead, Predicate<T> mayRide, long nowNanos) {
        return users.ride(lead, mayRide, nowNanos);
    }

    /** Applies this worker's parts of the concurrency limits, and returns its demand under those with items. */
    public Map<String, MaxMinSlots.Demand> share(MaxMinSlots next) {
        shares = next;
        return destinations.share(next, tenants.share(next, users::update));
    }

    /** Starts no item of this tenant from now on, and those of the tenant that was held before; empty for none. */
    public void hold(Optional<String> tenant) {
        tenants.hold(tenant, users::update);
    }

    /** Records that the destination of a running attempt has done its work. */
    public void worked(SlotLease<T> start, long nowNanos) {
        start.queue.node.worked(nowNanos);
        if (start.destination != null) {
            start.destination.worked(nowNanos);
        }
    }

    /** Returns when to call {@link #take} again because a rate lets an item start; empty if none holds one back. */
    public OptionalLong nextStartNanos() {
        return pacing.nextNanos();
    }

    /**
     * Ends an attempt, whatever its outcome, and frees its slot. Throws {@link IllegalStateException} when it has
     * already ended.
     */
    public void ended(SlotLease<T> start, long nowNanos) {
        idleIfDone(users.ended(start, nowNanos), nowNanos);
    }

    /** Frees the slot of an item that was not attempted, as {@link #ended} does. Nothing is measured or charged. */
    public void cancelled(SlotLease<T> start, long nowNanos) {
        idleIfDone(users.cancelled(start, nowNanos), nowNanos);
    }

    /**
     * Removes from the buffers the items that move to another lane, in each tenant's order. Call it after each batch of
     * offers, when {@link #take} has filled the slots.
     */
    public List<Excess<T>> excess(long nowMillis, long nowNanos) {
        List<Excess<T>> moved = new ArrayList<>();
        excessRules.fromHot(lanes.of(Lane.HOT), moved, tenant -> idleIfDone(tenant, nowNanos));
        for (LaneBuffer<T> lane : lanes.all.subList(Lane.OVERFLOW.ordinal(), LaneBuffer.COUNT)) {
            if (excessRules.isStalled(lane)) {
                excessRules.fromBacklog(lane, nowMillis, nowNanos, moved);
            }
        }
        return moved;
    }

    /**
     * Removes waiting items, for example those of revoked partitions. Attempts in flight are not touched.
     *
     * @param gone called once for each waiting item; of this scheduler it may call {@link #hold(Lane, int, long)} alone
     */
    public void removeIf(Predicate<T> gone, long nowNanos) {
        lanes.all.forEach(lane -> lane.removeIf(gone, tenant -> idleIfDone(tenant, nowNanos)));
    }

    /**
     * Visits waiting items of a lane, tenant by tenant; throws as {@link #hasRoom} does.
     *
     * @param visitor gets an item with its place, from 0, among those of its tenant, lane, workload and priority, and
     *                returns whether to go on with the next of them; it must not call the scheduler
     */
    public void visit(Lane lane, BiPredicate<T, Integer> visitor) {
        lanes.of(lane).members.forEach(queue -> queue.visit(visitor));
    }

    /**
     * Changes the number and size of all items of a lane that are in memory: those that wait here, run, are suspects,
     * or wait for a commit before they are offered. Throws as {@link #hasRoom} does.
     *
     * @param items number of those that were read, negative when their memory is free again
     * @param bytes their size, likewise
     */
    public void hold(Lane lane, int items, long bytes) {
        LaneBuffer<T> buffer = lanes.of(lane);
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
        return lanes.of(lane).hasRoom(settings, items, bytes);
    }

    /** Returns the items in a lane's buffer; throws as {@link #hasRoom} does. */
    public int waiting(Lane lane) {
        return lanes.of(lane).items;
    }

    /** Returns how many tenants hold as many slots as their own cap allows. */
    public int tenantsAtCap() {
        return users.atCap();
    }

    /** Returns the keys ({@link MaxMinSlots#key}) of the limits that hold items back now. */
    public Set<String> limitsAtCap() {
        return destinations.withLimitsAtCap(tenants.limitsAtCap());
    }

    /** Follows that a node may start again. */
    private void follow(LimitedNode<T> node) {
        switch (node) {
            case DestinationNode<T> destination -> destinations.free(destination, pool.nowNanos);
            case FairNode<T> tenant when tenant.parent == null -> users.update(tenant);
            case FairNode<T> workload -> workload.followLimit();
        }
    }

    private void idleIfDone(FairNode<T> tenant, long nowNanos) {
        if (!tenant.isBusy() && !tenant.idle) {
            users.update(tenant); // Otherwise one that is forgotten would count for ever.
            tenants.idle(tenant, nowNanos);
        }
    }
}
