package io.spillway.router.stage;

/**
 * Pause between two runs of a delay stage, so that due timers never starve ingress: the delay stages of a thread take
 * less than half of its time. A run of {@code d} is followed by a pause of {@code 2·n·d}, where {@code n} is the number
 * of stages on a thread: {@code n·d} of every {@code d + 2·n·d} is less than a half.
 */
public final class RunPacing {
    /** Shortest pause. Timers that become due within it are fired together, in one transaction. */
    static final long LEAST_MILLIS = 50;
    /** A longer run was delayed by something else and does not predict the next one. */
    static final long LONGEST_RUN_MILLIS = 100;

    private RunPacing() {}

    /**
     * Returns the pause after a run.
     *
     * @param tookMillis duration of the run; negative if the clock was set back
     * @param stages     delay stages in this process, 1 or more
     * @param threads    stream threads of this process, 1 or more
     * @return milliseconds, {@value #LEAST_MILLIS} or more
     */
    public static long pauseMillis(long tookMillis, int stages, int threads) {
        long stagesOfThread = (stages + threads - 1L) / threads;
        return Math.max(LEAST_MILLIS, 2 * stagesOfThread * Math.min(tookMillis, LONGEST_RUN_MILLIS));
    }
}
