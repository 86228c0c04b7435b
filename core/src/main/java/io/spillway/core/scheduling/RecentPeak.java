package io.spillway.core.scheduling;

/**
 * Maximum of the last 5 to 10 seconds, 0 or more: of the current window of 5 seconds and the one before.
 *
 * <p>Owner: {@link EntitledDemand}.
 */
final class RecentPeak {
    private static final long WINDOW_NANOS = 5_000_000_000L;

    private long windowStartNanos;
    private double running;
    private double previous;

    void note(double value, long nowNanos) {
        roll(nowNanos);
        running = Math.max(running, value);
    }

    double value(long nowNanos) {
        roll(nowNanos);
        return Math.max(running, previous);
    }

    private void roll(long nowNanos) {
        long elapsedNanos = nowNanos - windowStartNanos;
        if (elapsedNanos >= WINDOW_NANOS || elapsedNanos < 0) {
            previous = elapsedNanos >= 2 * WINDOW_NANOS ? 0 : running;
            running = 0;
            windowStartNanos = nowNanos;
        }
    }
}
