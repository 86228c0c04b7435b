package io.spillway.core.retry;

/**
 * Retries that may be made: successes fill it, retries empty it, and an empty one still grants a retry each period, the
 * trickle. The period is short while there is no other traffic that retries add to. What was earned within the last
 * second stays above the limit: waiting retries use it up, and it bounds what can be saved by the traffic itself.
 *
 * <p>Not thread-safe. Owner: the {@link RetryGate}.
 */
final class TokenBucket {
    private static final long RECENT_MILLIS = 1_000;
    /** Before every time, and far enough from the least number to be added to one. */
    private static final long NEVER_MILLIS = Long.MIN_VALUE / 4;

    private final long leastMillis;
    private final long mostMillis;
    private final DecayingCount recent = new DecayingCount(RECENT_MILLIS);
    private double most;
    private double tokens;
    private long trickledMillis = NEVER_MILLIS;
    private long busyMillis = NEVER_MILLIS;

    /**
     * Creates a full bucket.
     *
     * @param leastMillis shortest period of the trickle
     * @param mostMillis  its period beside other traffic, not below the shortest; the time without any is subtracted
     */
    TokenBucket(double most, long leastMillis, long mostMillis) {
        this.most = most;
        this.tokens = most;
        this.leastMillis = leastMillis;
        this.mostMillis = mostMillis;
    }

    void limit(double newMost) {
        most = newMost;
    }

    /** Records other traffic. */
    void busy(long nowMillis) {
        busyMillis = nowMillis;
    }

    void earn(double amount, long nowMillis) {
        recent.add(amount, nowMillis);
        tokens = Math.min(Math.max(most, recent.at(nowMillis)), tokens + amount);
    }

    boolean canPay(double cost, long nowMillis) {
        return tokens >= cost || nowMillis >= nextTrickleMillis(nowMillis);
    }

    /** Pays; with too few tokens it uses the trickle. */
    void pay(double cost, long nowMillis) {
        if (tokens >= cost) {
            tokens = Math.min(tokens, Math.max(most, recent.at(nowMillis))) - cost;
        } else {
            trickledMillis = nowMillis;
        }
    }

    /** Returns when the trickle grants the next retry; a clock that stepped back costs one period at most. */
    long nextTrickleMillis(long nowMillis) {
        trickledMillis = Math.min(trickledMillis, nowMillis);
        busyMillis = Math.min(busyMillis, nowMillis);
        // At this time t the period is over that is left without the time from the other traffic to t.
        long idleMillis = Math.ceilDiv(trickledMillis + mostMillis + busyMillis, 2);
        return Math.clamp(idleMillis, trickledMillis + leastMillis, trickledMillis + mostMillis);
    }

    boolean isFull() {
        return tokens >= most;
    }
}
