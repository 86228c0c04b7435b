package io.spillway.core.scheduling;

import java.util.Map;
import java.util.Set;

/**
 * Limit of the attempts of a tenant, a workload or a destination: this worker's part of a concurrency and of a rate,
 * what waits and runs under it, and how long its attempts take.
 *
 * <p>Owner: that of the node.
 */
abstract sealed class LimitedNode<T> permits FairNode, DestinationNode {
    /** Least charge of an attempt, so that attempts that take no time rotate too. */
    static final double LEAST_MILLIS = 0.01;
    /** Attempts after which the average becomes an exponential one. */
    private static final int ESTIMATE_SAMPLES = 16;

    /** Under which the workers divide the concurrency, as {@link MaxMinSlots#key}. */
    private final String key;
    /** The limit over all workers, and this worker's part of it, 0 or more; the maximum of an int for none. */
    int limit = Integer.MAX_VALUE;
    int concurrency = Integer.MAX_VALUE;
    private MaxMinSlots shares = MaxMinSlots.ALONE;
    /** Null without a limit; whether it holds items back, until the {@link Pacing} that it is then in ends that. */
    StartRate rate;
    boolean isPaced;
    boolean isInPacing;
    /** Slots that it holds, and the items that ride in them beside their first one ({@link FairDispatch#takeWith}). */
    int inFlight;
    int riders;
    int waiting;

    private int samples;
    private double averageMillis;
    private double averageItems = 1;
    /** Sum of the starts of the attempts in flight. */
    private double startsNanos;

    /** When the last item moved to the delay lane is due, epoch milliseconds, and the time between two of them. */
    double lastDueMillis;
    double dueApartMillis;

    LimitedNode(String key) {
        this.key = key;
    }

    /** Follows that it may be at its limit now, or is not any more. */
    abstract void followLimit();

    /** Applies limits and shares; costs nothing while nothing has changed. */
    final void limit(int newLimit, int newRate, MaxMinSlots newShares) {
        if (newRate != StartRate.NONE) {
            rate = rate == null ? new StartRate() : rate;
            if (!rate.follows(newRate, newShares)) {
                rate.follow(key, newRate, newShares);
            }
        } else if (rate != null) {
            rate = null;
            isPaced = false;
            followLimit();
        }
        if (limit == newLimit && (shares == newShares || newLimit == Integer.MAX_VALUE)) {
            return;
        }
        limit = newLimit;
        shares = newShares;
        concurrency = limit == Integer.MAX_VALUE ? limit : shares.of(key, limit);
        followLimit();
    }

    /**
     * Applies this worker's parts of its limits and adds its demand under them, while it has items. It claims its whole
     * part: it may start items until its next status. Returns whether its concurrency has changed.
     */
    boolean share(MaxMinSlots newShares, Map<String, MaxMinSlots.Demand> demands) {
        int before = concurrency;
        limit(limit, rate == null ? StartRate.NONE : rate.limit(), newShares);
        if (rate != null) {
            demands.put(StartRate.key(key), rate.demand(waiting));
        }
        if (limit < Integer.MAX_VALUE && isBusy()) {
            demands.put(key, new MaxMinSlots.Demand(waiting + running(), Math.max(running(), concurrency)));
        }
        return concurrency != before;
    }

    /** Adds the keys of the limits that hold items back, because as many attempts run as they allow. */
    void addLimitsAtCap(Set<String> keys) {
        if (waiting > 0 && limit < Integer.MAX_VALUE && running() >= concurrency) {
            keys.add(key);
        }
    }

    final boolean isBusy() {
        return waiting > 0 || running() > 0;
    }

    /** Returns its items that are attempted, which a concurrency limits. */
    final int running() {
        return inFlight + riders;
    }

    boolean hasLimit() {
        return concurrency < Integer.MAX_VALUE || rate != null;
    }

    /** Returns the milliseconds between two of its starts, by the slots that it can get and by its limits. */
    double apartMillis(double bySlotsMillis) {
        return rate == null ? bySlotsMillis : Math.max(bySlotsMillis, rate.apartMillis());
    }

    /** Returns whether it may not start more. */
    final boolean isAtCap() {
        return running() >= concurrency || isPaced;
    }

    /** Returns the expected milliseconds of the next attempt, above 0; the prior when no attempt has ended yet. */
    final double estimateMillis(double priorMillis) {
        return Math.max(LEAST_MILLIS, samples == 0 ? priorMillis : averageMillis);
    }

    /** Returns whether an attempt has ended, so that the estimate is not the prior. */
    final boolean isEstimated() {
        return samples > 0;
    }

    /**
     * Returns the expected milliseconds of the next attempt as {@link #estimateMillis} does, where attempts in flight
     * count for the time that they have taken beyond it. The attempts that end first are the short ones: of durations
     * that vary widely, the others say nothing before they end (the total time on test over the number of ends:
     * Epstein and Sobel, Life testing, 1953).
     */
    final double expectedMillis(long nowNanos) {
        double ranMillis = ((double) inFlight * nowNanos - startsNanos) / 1e6;
        return averageMillis + Math.max(0, ranMillis - inFlight * averageMillis) / ESTIMATE_SAMPLES;
    }

    /** Returns the average items of a slot, 1 or more. */
    final double itemsOfSlot() {
        return averageItems;
    }

    /** Records that an attempt is in flight. */
    final void attemptStarted(long nowNanos) {
        inFlight++;
        startsNanos += nowNanos;
        counted(nowNanos);
    }

    /** Records that an item is attempted in a slot that is held already. */
    final void riderStarted(long nowNanos) {
        riders++;
        counted(nowNanos);
    }

    private void counted(long nowNanos) {
        if (rate != null) {
            rate.started(nowNanos);
            isPaced = !rate.mayStart(nowNanos);
        }
        followLimit();
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
    final void attemptLeft(long startedNanos) {
        inFlight--;
        startsNanos = inFlight == 0 ? 0 : startsNanos - startedNanos;
        followLimit();
    }

    final void riderLeft() {
        riders--;
        followLimit();
    }

    final void attemptEnded(double millis) {
        samples = Math.min(samples + 1, ESTIMATE_SAMPLES);
        averageMillis += (millis - averageMillis) / samples;
    }

    /** Records how long a slot was held, and for how many items. */
    final void slotEnded(double millis, int items) {
        attemptEnded(millis);
        averageItems += (items - averageItems) / samples;
    }
}
