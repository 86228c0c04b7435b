package io.spillway.core.retry;

/**
 * Attempts that ended in one worker since its last report.
 *
 * @param partition      partition of the delay lane whose gate granted the retries; {@link #UNKNOWN} for first attempts
 * @param firsts         first attempts of items, 0 or more
 * @param firstSuccesses those of them that succeeded
 * @param retries        further attempts, 0 or more
 * @param retrySuccesses those of them that succeeded
 */
public record AttemptCounts(
        RetryKey key, int partition, long firsts, long firstSuccesses, long retries, long retrySuccesses) {
    /** Partition of first attempts, and of retries that no gate granted. */
    public static final int UNKNOWN = -1;

    /** @throws IllegalArgumentException when a number is negative, or more succeeded than ended */
    public AttemptCounts {
        if (firstSuccesses < 0 || firsts < firstSuccesses || retrySuccesses < 0 || retries < retrySuccesses) {
            throw new IllegalArgumentException("first attempts " + firsts + ", successful " + firstSuccesses
                    + "; retries " + retries + ", successful " + retrySuccesses + ": impossible numbers");
        }
    }

    long attempts() {
        return firsts + retries;
    }

    long successes() {
        return firstSuccesses + retrySuccesses;
    }
}
