package io.spillway.core.retry;

/**
 * Retries that may be made: successes fill it, retries empty it, and an empty one still grants a retry each period, the
 * trickle. What was earned within the last second stays above the limit: waiting retries use it up, and it bounds what
 * can be saved by the traffic itself.
 *
 * <p>Not thread-safe. Owner: the {@link RetryGate}.
 */
final class TokenBucket {
    private static final long RECENT_MILLIS = 1_000;

    private final long trickleMillis;
    private final DecayingCount recent = new DecayingCount(RECENT_MILLIS);
    private double most;
    private double tokens;
    private long nextTrickleMillis = Long.MIN_VALUE;

    /** Creates a full bucket. */
    TokenBucket(double most, long trickleMillis) {
        this.most = most;
        this.tokens = most;
        this.trickleMillis = trickleMillis;
    }

    void limit(double newMost) {
        most = newMost;
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
            nextTrickleMillis = nowMillis + trickleMillis;
        }
    }

    /** Returns when the trickle grants the next retry; a clock that stepped back costs one period at most. */
    long nextTrickleMillis(long nowMillis) {
        nextTrickleMillis = Math.min(nextTrickleMillis, nowMillis + trickleMillis);
        return nextTrickleMillis;
    }

    boolean isFull() {
        return tokens >= most;
    }
}
