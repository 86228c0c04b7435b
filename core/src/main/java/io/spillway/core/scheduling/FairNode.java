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
final class FairNode<T> {
    /** Least charge of an attempt, so that attempts that take no time rotate too. */
    static final double LEAST_MILLIS = 0.01;
    /** Attempts after which the average becomes an exponential one. */
    private static final int ESTIMATE_SAMPLES = 16;

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
    /** The limit over all workers, and this worker's part of it, 0 or more; the maximum of an int for none. */
    int limit = Integer.MAX_VALUE;
    int concurrency = Integer.MAX_VALUE;
    private MaxMinSlots shares = MaxMinSlots.ALONE;
    /** Null without a limit; whether it holds items back, until the {@link Pacing} that it is then in ends that. */
    StartRate rate;
    boolean isPaced;
    boolean isInPacing;
    int inFlight;
    int waiting;
    Standing standing = Standing.WITHIN;

    private int samples;
    private double averageMillis;
    /** Sum of the starts of the attempts in flight. */
    private double startsNanos;

    /** When the last item moved to the delay lane is due, epoch milliseconds, and the time between two of them. */
    double lastDueMillis;
    double dueApartMillis;

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
        this.name = name;
        this.weight = weight;
        this.parent = null;
        this.isShared = false;
        this.adaptive = new AdaptiveCap();
    }

    /** Creates the node of a workload, or the one that several share. */
    FairNode(String name, FairNode<T> parent, boolean isShared) {
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
            for (FairQueue<T> queue : queues) {
                if (queue != null) {
                    queue.divide(unnamed);
                }
            }
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

    /** Applies limits and shares; costs nothing while nothing has changed. */
    void limit(int newLimit, int newRate, MaxMinSlots newShares) {
        if (newRate != StartRate.NONE) {
            rate = rate == null ? new StartRate() : rate;
            if (!rate.follows(newRate, newShares)) {
                rate.follow(key(), newRate, newShares);
            }
        } else if (rate != null) {
            rate = null;
            isPaced = false;
            followConcurrency();
        }
        if (limit == newLimit && (shares == newShares || newLimit == Integer.MAX_VALUE)) {
            return;
        }
        limit = newLimit;
        shares = newShares;
        concurrency = limit == Integer.MAX_VALUE ? limit : shares.of(key(), limit);
        followConcurrency();
    }

    /**
     * Applies this worker's parts of its limits and adds its demand under them, while it has items. It claims its whole
     * part: it may start items until its next status. Returns whether its concurrency has changed.
     */
    boolean share(MaxMinSlots newShares, Map<String, MaxMinSlots.Demand> demands) {
        int before = concurrency;
        limit(limit, rate == null ? StartRate.NONE : rate.limit(), newShares);
        if (rate != null) {
            demands.put(StartRate.key(key()), rate.demand(waiting));
        }
        if (limit < Integer.MAX_VALUE && isBusy()) {
            demands.put(key(), new MaxMinSlots.Demand(waiting + inFlight, Math.max(inFlight, concurrency)));
        }
        children().forEach(child -> child.share(newShares, demands));
        return concurrency != before;
    }

    /** Adds the keys of the limits that hold items back, because as many attempts run as they allow. */
    void addLimitsAtCap(Set<String> keys) {
        if (waiting > 0 && limit < Integer.MAX_VALUE && inFlight >= concurrency) {
            keys.add(key());
        }
        children().forEach(child -> child.addLimitsAtCap(keys));
    }

    private String key() {
        return parent == null ? MaxMinSlots.key(name, "") : MaxMinSlots.key(parent.name, name);
    }

    boolean isBusy() {
        return waiting > 0 || inFlight > 0;
    }

    boolean hasLimit() {
        return concurrency < Integer.MAX_VALUE || rate != null;
    }

    /** Returns the milliseconds between two of its starts, by the slots that it can get and by its rate. */
    double apartMillis(double bySlotsMillis) {
        return rate == null ? bySlotsMillis : Math.max(bySlotsMillis, rate.apartMillis());
    }

    boolean isAtCap() {
        return inFlight >= concurrency || isPaced;
    }

    /** Changes what it may take, and the order of its queues with it. */
    void stand(Standing next) {
        if (next == standing) {
            return;
        }
        standing = next;
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
    void followConcurrency() {
        if (parent != null) {
            stand(isAtCap() ? Standing.HELD : Standing.WITHIN);
        }
    }

    /** Returns the expected milliseconds of the next attempt, above 0; the prior when no attempt has ended yet. */
    double estimateMillis(double priorMillis) {
        return Math.max(LEAST_MILLIS, samples == 0 ? priorMillis : averageMillis);
    }

    /** Returns whether an attempt has ended, so that the estimate is not the prior. */
    boolean isEstimated() {
        return samples > 0;
    }

    /**
     * Returns the expected milliseconds of the next attempt as {@link #estimateMillis} does, where attempts in flight
     * count for the time that they have taken beyond it. The attempts that end first are the short ones: of durations
     * that vary widely, the others say nothing before they end (the total time on test over the number of ends:
     * Epstein and Sobel, Life testing, 1953).
     */
    double expectedMillis(long nowNanos) {
        double ranMillis = ((double) inFlight * nowNanos - startsNanos) / 1e6;
        return averageMillis + Math.max(0, ranMillis - inFlight * averageMillis) / ESTIMATE_SAMPLES;
    }

    /** Records that an attempt is in flight. */
    void attemptStarted(long nowNanos) {
        inFlight++;
        startsNanos += nowNanos;
        if (rate != null) {
            rate.started(nowNanos);
            isPaced = !rate.mayStart(nowNanos);
        }
        followConcurrency();
    }

    /** Records that a start has led to no attempt. */
    void startCancelled() {
        if (rate != null) {
            rate.cancelled();
        }
    }

    /** Records that the destination has done its work. */
    void worked(long nowNanos) {
        if (rate != null) {
            rate.worked(nowNanos);
        }
    }

    /** Records that an attempt is not in flight any more. */
    void attemptLeft(long startedNanos) {
        inFlight--;
        startsNanos = inFlight == 0 ? 0 : startsNanos - startedNanos;
        followConcurrency();
    }

    void attemptEnded(double millis) {
        samples = Math.min(samples + 1, ESTIMATE_SAMPLES);
        averageMillis += (millis - averageMillis) / samples;
    }
}
