package io.spillway.core.scheduling;

import io.spillway.core.scheduling.MaxMinSlots.Demand;

/**
 * Rate at which items of one {@link FairNode} may start: this worker's part of a limit over all workers, as a token
 * bucket with a slow start.
 *
 * <p>The workers divide the limit as they divide slots ({@link MaxMinSlots}), in thousandths of a start a second, so
 * their parts add up to the limit at most at each time. The bucket holds one start and those of {@link #BURST_NANOS}:
 * as many as a late timer would lose.
 *
 * <p>Slow start: a destination without a success for half a minute gets a tenth of the rate, and one a second at least.
 * From the first success on the rate doubles each second.
 *
 * <p>Owner: its node.
 */
final class StartRate {
    /** No limit. */
    static final int NONE = Integer.MAX_VALUE;

    /** A shorter wait for a start is not worth a timer. */
    static final long LEAST_WAIT_NANOS = 5_000_000;
    /** About the time between two changes of the parts, each of which may end a wait. */
    static final long MOST_WAIT_NANOS = 500_000_000;

    private static final long BURST_NANOS = 50_000_000;
    private static final long QUIET_NANOS = 30_000_000_000L;
    private static final double FIRST_PART = 0.1;
    private static final double LEAST_PER_SECOND = 1;
    /** Enough for the whole rate. Without a bound a part of 0 would become no number. */
    private static final double MOST_DOUBLINGS = 10;
    private static final double PER_THOUSANDTH = 1e-12;
    private static final double NANOS_PER_SECOND = 1e9;
    private static final double EXCHANGES_PER_SECOND = 2;
    /** A start that is due is not missed because of rounding. */
    private static final double WHOLE = 1 - 1e-9;

    /** In starts per 1,000 seconds. */
    private int limit = NONE;
    private int part;
    private MaxMinSlots shares = MaxMinSlots.ALONE;
    private double tokens = 1;
    private boolean isNew = true;
    private long filledNanos;
    /** Starts since the last exchange. */
    private int starts;
    /** When the first of the latest successes came, and the last. */
    private boolean hasWorked;
    private long worksSinceNanos;
    private long workedNanos;

    /** Returns a rate in starts per 1,000 seconds, 1 or more; {@link #NONE} for infinity. */
    static int thousandths(double perSecond) {
        return perSecond == Double.POSITIVE_INFINITY ? NONE : Math.clamp(Math.round(perSecond * 1_000), 1, NONE);
    }

    /** Returns the key under which the workers divide the rate of what has a limit of this key. */
    static String key(String limitKey) {
        // No name of a tenant contains a slash.
        return "/" + limitKey;
    }

    /** Returns whether it follows a limit and shares already. */
    boolean follows(int newLimit, MaxMinSlots newShares) {
        return limit == newLimit && shares == newShares;
    }

    /** Applies a limit and shares. */
    void follow(String limitKey, int newLimit, MaxMinSlots newShares) {
        limit = newLimit;
        shares = newShares;
        part = shares.of(key(limitKey), limit);
    }

    /** Returns the limit over all workers, in starts per 1,000 seconds. */
    int limit() {
        return limit;
    }

    /** Returns what this worker wants of the rate until the next exchange, for so many waiting items. */
    Demand demand(int waiting) {
        double wanted = EXCHANGES_PER_SECOND * 1_000 * ((double) waiting + starts);
        starts = 0;
        return new Demand((int) Math.min(limit, wanted), part);
    }

    boolean mayStart(long nowNanos) {
        fill(nowNanos);
        return tokens >= WHOLE;
    }

    /** Returns when an item may start that may not now, or when to look again: in 5 to 500 ms. */
    long nextNanos(long nowNanos) {
        fill(nowNanos);
        double waitNanos = (1 - tokens) / perNano(nowNanos);
        return nowNanos + (long) Math.clamp(waitNanos, LEAST_WAIT_NANOS, MOST_WAIT_NANOS);
    }

    void started(long nowNanos) {
        fill(nowNanos);
        tokens--;
        starts++;
    }

    /** Takes a start back that led to no attempt. */
    void cancelled() {
        tokens++;
        starts--;
    }

    /** Records that the destination has done its work. */
    void worked(long nowNanos) {
        if (!works(nowNanos)) {
            worksSinceNanos = nowNanos;
        }
        hasWorked = true;
        workedNanos = nowNanos;
    }

    /** Returns the milliseconds between two starts at the whole rate of this worker. */
    double apartMillis() {
        return 1e6 / Math.max(1, part);
    }

    private void fill(long nowNanos) {
        if (isNew) {
            isNew = false;
            filledNanos = nowNanos;
        }
        // By the rate from which it rises: no more than the rate is ever given.
        double perNano = perNano(filledNanos);
        tokens = Math.min(1 + perNano * BURST_NANOS, tokens + perNano * Math.max(0, nowNanos - filledNanos));
        filledNanos = nowNanos;
    }

    private double perNano(long nowNanos) {
        double whole = PER_THOUSANDTH * part;
        if (!works(nowNanos)) {
            return first();
        }
        double seconds = Math.clamp((nowNanos - worksSinceNanos) / NANOS_PER_SECOND, 0, MOST_DOUBLINGS);
        return Math.min(whole, Math.max(first(), whole * FIRST_PART * Math.pow(2, seconds)));
    }

    /** Returns the rate of a slow start: of all workers together a tenth of the limit, or one a second. */
    private double first() {
        double least = Math.max(FIRST_PART, LEAST_PER_SECOND * 1_000 / limit);
        return PER_THOUSANDTH * part * Math.min(1, least);
    }

    /** Successes may be as far apart as a slow start makes them. */
    private boolean works(long nowNanos) {
        return hasWorked && nowNanos - workedNanos < Math.max(QUIET_NANOS, 3 / first());
    }
}
