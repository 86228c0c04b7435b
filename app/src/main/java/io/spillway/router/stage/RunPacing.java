package io.spillway.router.stage;

/**
 * When the delay stage of a task may take timers again, so that timers never starve ingress: however many are due, the
 * stages of a thread take less than half of its time. A run that took {@code d} is followed by a pause of {@code 2·n·d},
 * where {@code n} is the number of stages on a thread: {@code n·d} of every {@code d + 2·n·d} is less than a half.
 */
public final class RunPacing {
    /** The least pause: timers that are due within it are taken together, in one transaction. */
    static final long LEAST_MILLIS = 50;
    /** A run that took longer was held up by something else, and says nothing about the next. */
    static final long LONGEST_RUN_MILLIS = 100;

    private RunPacing() {}

    /**
     * How long to pause.
     *
     * @param tookMillis      how long the run took; less than 0 when the clock was set back
     * @param stages          stages at work in this process, 1 or more
     * @param threads         stream threads of this process, 1 or more
     * @return milliseconds, {@value #LEAST_MILLIS} or more
     */
    public static long pauseMillis(long tookMillis, int stages, int threads) {
        long stagesOfThread = (stages + threads - 1L) / threads;
        return Math.max(LEAST_MILLIS, 2 * stagesOfThread * Math.min(tookMillis, LONGEST_RUN_MILLIS));
    }
}
