package io.spillway.core.scheduling;

/** What holds slots, a tenant or one of its workloads: limits, slots in use and average latency. */
abstract class SlotUser {
    /** Least charge of an attempt, so that attempts that take no time rotate too. */
    static final double LEAST_MILLIS = 0.01;
    /** Attempts after which the average becomes an exponential one. */
    private static final int ESTIMATE_SAMPLES = 16;

    double weight;
    /** The limit over all workers, and this worker's part of it, 0 or more; the maximum of an int for none. */
    int limit = Integer.MAX_VALUE;
    int concurrency = Integer.MAX_VALUE;
    private ConcurrencyShares shares = ConcurrencyShares.ALONE;
    int inFlight;
    int waiting;

    /** When the last item moved to the delay lane is due, epoch milliseconds, and the time between two of them. */
    double lastDueMillis;
    double dueApartMillis;

    private int samples;
    private double averageMillis;
    /** Sum of the starts of the attempts in flight. */
    private double startsNanos;

    SlotUser(double weight) {
        this.weight = weight;
    }

    /** Applies a limit and shares; costs nothing while neither has changed. The workload is empty for the tenant's. */
    final void limit(int limit, ConcurrencyShares shares, String tenant, String workload) {
        if (this.limit == limit && (this.shares == shares || limit == Integer.MAX_VALUE)) {
            return;
        }
        this.limit = limit;
        this.shares = shares;
        concurrency = limit == Integer.MAX_VALUE ? limit : shares.of(ConcurrencyShares.key(tenant, workload), limit);
    }

    /** Returns its demand under its limit. It claims its whole part: it may start items until its next status. */
    final ConcurrencyShares.Demand demand() {
        return new ConcurrencyShares.Demand(waiting + inFlight, Math.max(inFlight, concurrency));
    }

    /** Returns whether items wait and may not start, because as many attempts run as its limit allows. */
    final boolean isHeldByLimit() {
        return waiting > 0 && limit < Integer.MAX_VALUE && inFlight >= concurrency;
    }

    final boolean isBusy() {
        return waiting > 0 || inFlight > 0;
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

    /** Records that an attempt is in flight. */
    final void attemptStarted(long nowNanos) {
        inFlight++;
        startsNanos += nowNanos;
    }

    /** Records that an attempt is not in flight any more. */
    final void attemptLeft(long startedNanos) {
        inFlight--;
        startsNanos = inFlight == 0 ? 0 : startsNanos - startedNanos;
    }

    final void attemptEnded(double millis) {
        samples = Math.min(samples + 1, ESTIMATE_SAMPLES);
        averageMillis += (millis - averageMillis) / samples;
    }
}
