package io.spillway.core.scheduling;

import io.spillway.core.scheduling.FairNode.Standing;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Attempts in flight: starts, riders and ends, counted under the slots and under all limits, and what each tenant may
 * take next because of them.
 *
 * <p>Owner: {@link FairDispatch}. Bound: the slots, and the riders that the caller takes with each.
 */
final class SlotUsers<T> {
    private static final double NANOS_PER_MILLI = 1e6;

    private final SlotPool pool;
    private final Lanes<T> lanes;
    private final Pacing<T> pacing;
    private final Destinations<T> destinations;
    /** Tenants that hold slots, in no order; each stores its index. */
    private final List<FairNode<T>> running = new ArrayList<>();
    private int atCap;

    SlotUsers(SlotPool pool, Lanes<T> lanes, Pacing<T> pacing) {
        this.pool = pool;
        this.lanes = lanes;
        this.pacing = pacing;
        this.destinations = new Destinations<>(pacing, this::update);
    }

    Destinations<T> destinations() {
        return destinations;
    }

    /** Returns how many tenants hold as many slots as their own cap allows. */
    int atCap() {
        return atCap;
    }

    /** Updates what a tenant may take, by the slots it holds and its latency. */
    void update(FairNode<T> tenant) {
        Standing next = pool.update(tenant);
        atCap += (next == Standing.HELD ? 1 : 0) - (tenant.standing == Standing.HELD ? 1 : 0);
        tenant.stand(next);
    }

    /** Updates only tenants in flight: one without slots is within any share. */
    void followWeights(TenantTable<T> tenants) {
        if (pool.follow(tenants.activeWeight, tenants.active)) {
            running.forEach(this::update);
        }
    }

    /** Starts the next item of a queue in a free slot. */
    SlotLease<T> start(FairQueue<T> queue, long nowNanos) {
        FairNode<T> leaf = queue.node;
        FairNode<T> tenant = leaf.tenant();
        lanes.all.forEach(lane -> lane.started(lane == queue.lane));
        double chargeMillis = queue.estimateMillis();
        boolean isBorrowed = tenant.standing != Standing.WITHIN;
        SlotLease<T> start = queue.serve(chargeMillis);
        start.chargedMillis = chargeMillis;
        start.isKnown = leaf.isEstimated();
        queue.lane.inFlight++;
        start.startedNanos = nowNanos;
        pool.started(start, isBorrowed);
        if (tenant.inFlight == 0) {
            tenant.runningIndex = running.size();
            running.add(tenant);
        }
        start.cohort = tenant.adaptive.started(tenant.inFlight + 1, nowNanos);
        started(start, queue, nowNanos);
        return start;
    }

    /** As {@link FairDispatch#takeWith}. */
    Optional<SlotLease<T>> ride(SlotLease<T> lead, Predicate<T> mayRide, long nowNanos) {
        FairQueue<T> queue = lead.queue;
        SlotLease<T> rider = queue.head();
        if (rider == null || !queue.node.mayRide() || !mayRide.test(rider.item())) {
            return Optional.empty();
        }
        queue.remove(rider);
        lead.items++;
        rider.items = 0;
        rider.startedNanos = nowNanos;
        started(rider, queue, nowNanos);
        return Optional.of(rider);
    }

    /** Counts a start under the limits of its tenant, workload and destination. */
    private void started(SlotLease<T> start, FairQueue<T> queue, long nowNanos) {
        FairNode<T> leaf = queue.node;
        FairNode<T> tenant = leaf.tenant();
        start.queue = queue;
        count(tenant, start, nowNanos);
        update(tenant);
        pacing.started(tenant, nowNanos);
        if (leaf != tenant) {
            count(leaf, start, nowNanos);
            pacing.started(leaf, nowNanos);
        }
        destinations.started(start, nowNanos);
    }

    private static void count(FairNode<?> node, SlotLease<?> start, long nowNanos) {
        if (start.isRider()) {
            node.riderStarted(nowNanos);
        } else {
            node.attemptStarted(nowNanos);
        }
    }

    /** Ends an attempt, and returns its tenant. */
    FairNode<T> ended(SlotLease<T> start, long nowNanos) {
        FairNode<T> tenant = release(start, nowNanos);
        double millis = Math.max(0, (nowNanos - start.startedNanos) / NANOS_PER_MILLI);
        destinations.ended(start, millis, nowNanos);
        if (!start.isRider()) {
            FairNode<T> leaf = start.queue.node;
            tenant.slotEnded(millis, start.items);
            start.queue.lane.attemptEnded(millis);
            pool.measured(start, millis);
            tenant.adaptive.ended(start.cohort, millis, tenant.inFlight, pool.slots, nowNanos);
            if (leaf != tenant) {
                leaf.slotEnded(millis, start.items);
            }
            start.queue.charge(Math.max(FairNode.LEAST_MILLIS, millis) - start.chargedMillis);
        }
        update(tenant);
        return tenant;
    }

    /** Takes a start back, and returns its tenant. */
    FairNode<T> cancelled(SlotLease<T> start, long nowNanos) {
        FairNode<T> tenant = release(start, nowNanos);
        start.queue.node.startCancelled();
        destinations.cancelled(start, nowNanos);
        if (!start.isRider()) {
            start.queue.charge(-start.chargedMillis);
            tenant.adaptive.cancelled(start.cohort);
            lanes.all.forEach(lane -> lane.cancelled(lane == start.queue.lane));
        }
        update(tenant);
        return tenant;
    }

    private FairNode<T> release(SlotLease<T> start, long nowNanos) {
        if (start.ended) {
            throw new IllegalStateException("this attempt has already ended");
        }
        start.ended = true;
        FairNode<T> leaf = start.queue.node;
        FairNode<T> tenant = leaf.tenant();
        pool.at(nowNanos);
        if (start.isRider()) {
            tenant.riderLeft();
        } else {
            start.queue.lane.inFlight--;
            pool.ended(start);
            tenant.attemptLeft(start.startedNanos);
            if (tenant.inFlight == 0) {
                stopped(tenant);
            }
        }
        if (leaf != tenant && start.isRider()) {
            leaf.riderLeft();
        } else if (leaf != tenant) {
            leaf.attemptLeft(start.startedNanos);
        }
        return tenant;
    }

    private void stopped(FairNode<T> tenant) {
        FairNode<T> last = running.removeLast();
        if (last != tenant) {
            running.set(tenant.runningIndex, last);
            last.runningIndex = tenant.runningIndex;
        }
    }
}
