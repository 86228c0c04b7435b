package io.spillway.sim.scenario;

/**
 * A stretch of a run.
 *
 * @param fromMillis since the start of the run, 0 or more
 * @param toMillis   above {@code fromMillis}; not part of it
 */
public record Window(long fromMillis, long toMillis) {
    /** @throws IllegalArgumentException when it is empty or begins before the run */
    public Window {
        if (fromMillis < 0 || toMillis <= fromMillis) {
            throw new IllegalArgumentException("from " + fromMillis + " ms to " + toMillis + " ms: must end after it begins");
        }
    }

    /** Whether a moment of the run, in nanoseconds, lies in it. */
    public boolean contains(long nanos) {
        return nanos >= fromMillis * SimulatedTime.NANOS_PER_MILLI && nanos < toMillis * SimulatedTime.NANOS_PER_MILLI;
    }
}
