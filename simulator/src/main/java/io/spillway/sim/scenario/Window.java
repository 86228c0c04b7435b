package io.spillway.sim.scenario;

/**
 * Time window of a run.
 *
 * @param fromMillis since the start of the run, 0 or more
 * @param toMillis   above {@code fromMillis}; exclusive
 */
public record Window(long fromMillis, long toMillis) {
    /** @throws IllegalArgumentException when it is empty or begins before the run */
    public Window {
        if (fromMillis < 0 || toMillis <= fromMillis) {
            throw new IllegalArgumentException(
                    "from " + fromMillis + " ms to " + toMillis + " ms: must end after it begins");
        }
    }

    /** Returns whether a time of the run, in nanoseconds, is in the window. */
    public boolean contains(long nanos) {
        return nanos >= fromMillis * SimulatedTime.NANOS_PER_MILLI && nanos < toMillis * SimulatedTime.NANOS_PER_MILLI;
    }
}
