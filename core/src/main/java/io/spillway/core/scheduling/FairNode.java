package io.spillway.core.scheduling;

import io.spillway.core.policy.TenantPolicy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Weighted node of the fair scheduler, a tenant or one of its workloads: its limit, the slots it holds, its average
 * latency, and its queue in each lane. Siblings take turns by weight (see {@link Turns}).
 *
 * <p>A tenant has no children while no item of it names a workload. Afterwards the items without one are the workload
 * with the empty name.
 *
 * <p>Owner: the {@link TenantTable}, or the tenant's {@link Workloads}.
 */
final class FairNode<T> extends LimitedNode<T> {
    /** Empty for items without a workload, and for several workloads. */
    final String name;
    /** Null for a tenant. */
    final FairNode<T> parent;
    /** Whether several workloads share it, so that no limit of one applies. */
    final boolean isShared;
    private final FairQueue<T>[] queues = array(LaneBuffer.COUNT);
    /** Null while it has no children. */
    private Workloads<T> workloads;

    double weight;
    /** What the items of a leaf call, null for none, and whether the leaf is put aside (see {@link Destinations}). */
    DestinationNode<T> destination;
    boolean isAside;
    Standing standing = Standing.WITHIN;

    /** Of a tenant, as all fields below. */
    final AdaptiveCap adaptive;
    /** Whether none of its items may start, see {@link FairDispatch#hold}. */
    boolean isHeld;
    /** Derived values, which the {@link SlotPool} updates after each change. */
    int share = 1;
    int cap = Integer.MAX_VALUE;
    boolean isLong;
    int holds;
    int modest;
    int wants;
    int borrows;
    int runningIndex;
    /** Of the {@link TenantTable}. */
    boolean active;
    boolean idle;
    long idleSinceNanos;
    FairNode<T> idleBefore;
    FairNode<T> idleAfter;

    /** What a node may take next, given the slots it holds. */
    enum Standing {
        /** Below its fair share, or a workload below its concurrency: any free slot. */
        WITHIN,
        /** At or beyond its fair share: borrowed slots. */
        BEYOND,
        /** At or beyond its fair share, with attempts that do not end soon. */
        LONG,
        /** At its own cap, or held: nothing. */
        HELD
    }

    /** Creates the node of a tenant. */
    FairNode(String name, double weight) {
        super(MaxMinSlots.key(name, ""));
        this.name = name;
        this.weight = weight;
        this.parent = null;
        this.isShared = false;
        this.adaptive = new AdaptiveCap();
    }

    /** Creates the node of a workload, or the one that several share. */
    FairNode(String name, FairNode<T> parent, boolean isShared) {
        super(MaxMinSlots.key(parent.name, name));
        this.name = name;
        this.weight = 1;
        this.parent = parent;
        this.isShared = isShared;
        this.adaptive = null;
    }

    // Java cannot create an array of a generic type. Only this class stores elements in it.
    @SuppressWarnings({"unchecked", "rawtypes"})
    private static <T> FairQueue<T>[] array(int length) {
        return new FairQueue[length];
    }

    FairNode<T> tenant() {
        return parent == null ? this : parent;
    }

    /** Returns its queue in a lane, created on first use. */
    FairQueue<T> queue(LaneBuffer<T> lane) {
        int index = lane.lane.ordinal();
        if (queues[index] == null) {
            queues[index] = new FairQueue<>(this, lane, parent == null ? null : parent.queue(lane));
        }
        return queues[index];
    }

    /** Returns an item that waits in a leaf; null for none. */
    SlotLease<T> anyWaiting() {
        for (FairQueue<T> queue : queues) {
            if (queue != null && queue.size > 0) {
                return queue.head();
            }
        }
        return null;
    }

    /** Returns the queues of its children with items in a lane, in a new list. */
    List<FairQueue<T>> parts(LaneBuffer<T> lane) {
        List<FairQueue<T>> parts = new ArrayList<>();
        for (FairNode<T> child : children()) {
            FairQueue<T> part = child.queues[lane.lane.ordinal()];
            if (part != null && part.size > 0) {
                parts.add(part);
            }
        }
        return parts;
    }

    boolean isDivided() {
        return workloads != null;
    }

    /** Returns its children, which includes all with items, in a new list. */
    List<FairNode<T>> children() {
        return workloads == null ? List.of() : workloads.all();
    }

    /** Returns the node in which items of a workload wait: this one while none of the tenant names a workload. */
    FairNode<T> leaf(String workload, TenantPolicy policy) {
        if (workloads == null) {
            if (workload.isEmpty()) {
                return this;
            }
            workloads = new Workloads<>(this);
            FairNode<T> unnamed = workloads.of("", policy);
            DestinationNode<T> called = destination;
            call(null);
            for (FairQueue<T> queue : queues) {
                if (queue != null) {
                    queue.divide(unnamed);
                }
            }
            unnamed.call(called);
        }
        return workloads.of(workload, policy);
    }

    /**
     * Forgets its children while it has no items, so that an idle tenant costs no more than any other; but not while
     * one waits for its rate.
     */
    void rest() {
        adaptive.rest();
        if (children().stream().anyMatch(child -> child.isInPacing)) {
            return;
        }
        workloads = null;
        for (FairQueue<T> queue : queues) {
            if (queue != null) {
                queue.children = null;
            }
        }
    }

    @Override
    boolean share(MaxMinSlots newShares, Map<String, MaxMinSlots.Demand> demands) {
        boolean isChanged = super.share(newShares, demands);
        children().forEach(child -> child.share(newShares, demands));
        return isChanged;
    }

    @Override
    void addLimitsAtCap(Set<String> keys) {
        super.addLimitsAtCap(keys);
        children().forEach(child -> child.addLimitsAtCap(keys));
    }

    @Override
    boolean hasLimit() {
        return super.hasLimit() || destination != null;
    }

    @Override
    double apartMillis(double bySlotsMillis) {
        double own = super.apartMillis(bySlotsMillis);
        return destination == null ? own
                : Math.max(own, destination.apartMillis() * Math.max(1, destination.aside.size()));
    }

    /** Returns whether what it calls may not be called more. */
    boolean isAtDestination() {
        return destination != null && destination.isAtCap();
    }

    /** Returns whether an item of a leaf may be attempted now, if it needs no slot. */
    boolean mayRide() {
        FairNode<T> tenant = tenant();
        return !tenant.isHeld && !tenant.isAtCap() && !isAtCap() && !isAtDestination();
    }

    /** Changes what the items of a leaf call; null for nothing with a limit. */
    void call(DestinationNode<T> next) {
        if (isAside) {
            putAside(false);
        }
        if (destination != null) {
            destination.waiting -= waiting;
        }
        destination = next;
        if (next != null) {
            next.waiting += waiting;
        }
    }

    /** Puts a leaf aside, so that it has no turns, or lets it have them again. */
    void putAside(boolean isPutAside) {
        isAside = isPutAside;
        if (isPutAside) {
            destination.aside.add(this);
        } else {
            destination.aside.remove(this);
        }
        reposition();
    }

    /** Changes what it may take, and the order of its queues with it. */
    void stand(Standing next) {
        if (next == standing) {
            return;
        }
        standing = next;
        reposition();
    }

    private void reposition() {
        for (FairQueue<T> queue : queues) {
            if (queue != null && queue.size > 0) {
                queue.reposition();
                if (queue.parent != null) {
                    queue.parent.reposition();
                }
            }
        }
    }

    /** A tenant's standing depends on those of others too, so the {@link SlotPool} decides on it. */
    @Override
    void followLimit() {
        if (parent != null) {
            stand(isAtCap() ? Standing.HELD : Standing.WITHIN);
        }
    }

    @Override
    void startCancelled() {
        super.startCancelled();
        if (parent != null) {
            parent.startCancelled();
        }
    }

    @Override
    void worked(long nowNanos) {
        super.worked(nowNanos);
        if (parent != null) {
            parent.worked(nowNanos);
        }
    }
}
