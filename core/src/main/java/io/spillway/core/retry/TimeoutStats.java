package io.spillway.core.retry;

/**
 * Recent durations and timeouts of one tenant's attempts in one worker.
 *
 * @param samples       successful attempts that the percentiles are of, at most about 8,200
 * @param p50Millis     median of their durations; 0 without samples, as the other percentiles
 * @param p99Millis     99th percentile
 * @param p999Millis    99.9th percentile
 * @param attempts      recent attempts, at most 1,000
 * @param timedOut      of them, those that timed out
 * @param timeoutsInRow attempts that timed out since the last success
 * @param autoMillis    timeout that {@code timeout: auto} would choose for a first attempt
 * @param usualMillis   timeout of a first attempt now
 * @param unavailable   whether nearly all of its items fail
 */
public record TimeoutStats(
        long samples, double p50Millis, double p99Millis, double p999Millis, long attempts, long timedOut,
        int timeoutsInRow, long autoMillis, long usualMillis, boolean unavailable) {
    /** Timeouts in a row from which on a tenant counts as one whose attempts always time out. */
    public static final int ALWAYS = 20;

    /** Returns a copy with this availability. */
    public TimeoutStats withUnavailable(boolean isUnavailable) {
        return new TimeoutStats(samples, p50Millis, p99Millis, p999Millis, attempts, timedOut, timeoutsInRow,
                autoMillis, usualMillis, isUnavailable);
    }

    /** Returns whether all of the last {@value #ALWAYS} attempts or more timed out, except failed ones. */
    public boolean alwaysTimesOut() {
        return timeoutsInRow >= ALWAYS;
    }
}
