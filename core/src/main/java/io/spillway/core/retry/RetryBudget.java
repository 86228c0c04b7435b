package io.spillway.core.retry;

/**
 * The retries that one tenant may spend on one destination: a token bucket that successes fill and retries empty
 * (M. Brooker, "Timeouts, retries and backoff with jitter", Amazon Builders' Library). When it is empty retries go at a
 * fixed trickle, so that a tenant whose every first attempt fails still finds out when the destination is back. There
 * is no circuit breaker: load falls by itself to that of the first attempts.
 *
 * <p>Not thread-safe. Owner: the {@link RetryBudgets} it is in.
 */
public final class RetryBudget {
    /**
     * Those who are told to wait are spread over so many periods of the trickle. If all came back for the next retry,
     * a thousand items would go through the delay lane each second so that one of them is tried.
     */
    static final int SPREAD_PERIODS = 60;

    /**
     * Successes in a row after which each earns a whole retry: the destination is well, and what waits since it was not
     * need not wait any longer. At a failure rate of 0.1 one success in 190 is so far on, at 0.5 none.
     */
    static final int WELL_AFTER = 50;

    /** Successes since the last retry after which a full budget is as good as a new one. */
    static final int OVER_AFTER = 1_000;

    /** Tokens are counted in millionths: ten times 0.1 as a double is less than 1. */
    private static final long TOKEN = 1_000_000;

    private final Settings settings;
    private long tokenMillionths;
    private int successesInRow;
    private int successesSinceAsked;
    private long nextTrickleMillis = Long.MIN_VALUE;
    private long lastReservedMillis = Long.MIN_VALUE;
    private long lastAskedMillis = Long.MIN_VALUE;

    /**
     * How a budget fills.
     *
     * @param capTokens        most retries saved up, 1 to a million; a budget starts with as many
     * @param earnedPerSuccess tokens that a success earns, 0 to 1
     * @param trickleMillis    between two retries on an empty budget, 1 to a day
     */
    public record Settings(int capTokens, double earnedPerSuccess, long trickleMillis) {
        /**
         * A tenth of the successes, as the sources have it. The cap comes from a destination that is down for 60 s, where
         * attempts are to stay below 1.1 times the items offered. 100 tenants on 50 slots of 20 ms at 70% load offer
         * 1,050 items each, so 105 retries are allowed: 60 of the trickle and up to 45 saved. 10 saved make a load of
         * 1.07, and still retry at once a few failures of a tenant that had a hundred successes. Several workers have a
         * budget each; two of them make 1.13 in that case.
         */
        public static final Settings DEFAULT = new Settings(10, 0.1, 1_000);

        public Settings {
            if (capTokens < 1 || capTokens > 1_000_000) {
                throw new IllegalArgumentException("capTokens = " + capTokens + ": must be 1 to 1000000");
            }
            if (!(earnedPerSuccess >= 0 && earnedPerSuccess <= 1)) {
                throw new IllegalArgumentException("earnedPerSuccess = " + earnedPerSuccess + ": must be 0 to 1");
            }
            if (trickleMillis < 1 || trickleMillis > 86_400_000) {
                throw new IllegalArgumentException("trickleMillis = " + trickleMillis + ": must be 1 to 86400000");
            }
        }
    }

    /** Whether a retry may be made. */
    public sealed interface Answer {
        /** Make it now; it is paid for. */
        record Granted() implements Answer {}

        /**
         * Not now. The wait is not an attempt.
         *
         * @param untilMillis when to ask again, epoch milliseconds, after now
         */
        record Wait(long untilMillis) implements Answer {}
    }

    private static final Answer GRANTED = new Answer.Granted();

    /**
     * Makes a full budget.
     *
     * @param settings not null
     */
    public RetryBudget(Settings settings) {
        this.settings = settings;
        tokenMillionths = settings.capTokens() * TOKEN;
    }

    /**
     * Asks for one retry, just before it is made.
     *
     * @param nowMillis epoch milliseconds; a clock that steps back costs one period of the trickle at most
     */
    public Answer ask(long nowMillis) {
        lastAskedMillis = nowMillis;
        successesSinceAsked = 0;
        if (tokenMillionths >= TOKEN) {
            tokenMillionths -= TOKEN;
            return GRANTED;
        }
        long periodMillis = settings.trickleMillis();
        nextTrickleMillis = Math.min(nextTrickleMillis, nowMillis + periodMillis);
        if (nowMillis >= nextTrickleMillis) {
            nextTrickleMillis = nowMillis + periodMillis;
            return GRANTED;
        }
        return new Answer.Wait(reserveMillis(nowMillis));
    }

    /** An attempt, the first or a retry, has succeeded. */
    public void succeeded() {
        successesSinceAsked = Math.min(successesSinceAsked + 1, OVER_AFTER);
        successesInRow = Math.min(successesInRow + 1, WELL_AFTER);
        long earned = successesInRow == WELL_AFTER ? TOKEN : Math.round(settings.earnedPerSuccess() * TOKEN);
        tokenMillionths = Math.min(settings.capTokens() * TOKEN, tokenMillionths + earned);
    }

    /** An attempt has failed. */
    public void failed() {
        successesInRow = 0;
    }

    /** Retries that would be granted now without the trickle, 0 to the cap. */
    public double tokens() {
        return (double) tokenMillionths / TOKEN;
    }

    /** Whether it is full, and nobody has asked for so long that what it remembers is of no use. */
    boolean isOver() {
        return tokenMillionths == settings.capTokens() * TOKEN && successesSinceAsked == OVER_AFTER;
    }

    long lastAskedMillis() {
        return lastAskedMillis;
    }

    /** The next turn of the trickle that nobody has been told, and from the first again when all are taken. */
    private long reserveMillis(long nowMillis) {
        long periodMillis = settings.trickleMillis();
        boolean allTold = lastReservedMillis > nowMillis + (SPREAD_PERIODS - 1) * periodMillis;
        lastReservedMillis = allTold || lastReservedMillis < nextTrickleMillis
                ? nextTrickleMillis
                : lastReservedMillis + periodMillis;
        return lastReservedMillis;
    }
}
