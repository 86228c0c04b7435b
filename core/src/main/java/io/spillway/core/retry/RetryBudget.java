package io.spillway.core.retry;

/**
 * Retry budget of one tenant and destination: a token bucket that successes fill and retries empty (M. Brooker,
 * "Timeouts, retries and backoff with jitter", Amazon Builders' Library). An empty budget still grants retries at a
 * fixed slow rate, the trickle, so that a tenant whose every first attempt fails notices when the destination has
 * recovered. No circuit breaker is needed: the load falls to that of the first attempts.
 *
 * <p>Not thread-safe. Owner: the {@link RetryBudgets} it is in.
 */
public final class RetryBudget {
    /**
     * Refused retries are spread over this many periods of the trickle. If all came back for the next grant, a thousand
     * items per second would pass the delay lane for one attempt.
     */
    static final int SPREAD_PERIODS = 60;

    /**
     * Consecutive successes from which on each earns a whole retry: the destination has recovered, and its backlog need
     * not wait any longer. At a failure rate of 0.1 one success in 190 gets there, at 0.5 none.
     */
    static final int RECOVERED_AFTER = 50;

    /** Successes since the last retry after which a full budget equals a new one. */
    static final int FORGOTTEN_AFTER = 1_000;

    /** Millionths of a token avoid rounding errors: ten times 0.1 as a double is less than 1. */
    private static final long TOKEN = 1_000_000;

    private final Settings settings;
    private long tokenMillionths;
    private int successesInRow;
    private int successesSinceAsked;
    private long nextTrickleMillis = Long.MIN_VALUE;
    private long lastReservedMillis = Long.MIN_VALUE;
    private long lastAskedMillis = Long.MIN_VALUE;

    /**
     * Fill rate of a budget.
     *
     * @param capTokens        most retries saved up and the initial number, 1 to a million
     * @param earnedPerSuccess tokens earned by a success, 0 to 1
     * @param trickleMillis    time between two retries on an empty budget, 1 to a day
     */
    public record Settings(int capTokens, double earnedPerSuccess, long trickleMillis) {
        /**
         * A tenth of the successes, as in the literature. The cap keeps attempts below 1.1 times the offered items
         * while a destination is down for 60 s. 100 tenants on 50 slots of 20 ms at 70% load offer 1,050 items each,
         * which allows 105 retries: 60 of the trickle and up to 45 saved. 10 saved retries make a load of 1.07, and
         * still retry at once a few failures of a tenant with a hundred successes. Several workers have a budget each;
         * two of them make 1.13 in that case.
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

    /** Decision on one retry. */
    public sealed interface Answer {
        /** Granted and paid for: make it now. */
        record Granted() implements Answer {}

        /** Refused until this time, epoch milliseconds, after now. The wait does not count as an attempt. */
        record Wait(long untilMillis) implements Answer {}
    }

    private static final Answer GRANTED = new Answer.Granted();

    /** Creates a full budget. */
    public RetryBudget(Settings settings) {
        this.settings = settings;
        tokenMillionths = settings.capTokens() * TOKEN;
    }

    /** Requests one retry, just before it is made. A clock that steps back costs at most one period of the trickle. */
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

    /** Records the success of an attempt, the first or a retry. */
    public void succeeded() {
        successesSinceAsked = Math.min(successesSinceAsked + 1, FORGOTTEN_AFTER);
        successesInRow = Math.min(successesInRow + 1, RECOVERED_AFTER);
        long earned = successesInRow == RECOVERED_AFTER ? TOKEN : Math.round(settings.earnedPerSuccess() * TOKEN);
        tokenMillionths = Math.min(settings.capTokens() * TOKEN, tokenMillionths + earned);
    }

    /** Records a failed attempt. */
    public void failed() {
        successesInRow = 0;
    }

    /** Returns the retries that would be granted now without the trickle, 0 to the cap. */
    public double tokens() {
        return (double) tokenMillionths / TOKEN;
    }

    /** Returns whether it is full and unused for so long that it equals a new one. */
    boolean isForgettable() {
        return tokenMillionths == settings.capTokens() * TOKEN && successesSinceAsked == FORGOTTEN_AFTER;
    }

    long lastAskedMillis() {
        return lastAskedMillis;
    }

    /** Returns the next free time of the trickle, and from the first again when all are reserved. */
    private long reserveMillis(long nowMillis) {
        long periodMillis = settings.trickleMillis();
        boolean allReserved = lastReservedMillis > nowMillis + (SPREAD_PERIODS - 1) * periodMillis;
        lastReservedMillis = allReserved || lastReservedMillis < nextTrickleMillis
                ? nextTrickleMillis
                : lastReservedMillis + periodMillis;
        return lastReservedMillis;
    }
}
