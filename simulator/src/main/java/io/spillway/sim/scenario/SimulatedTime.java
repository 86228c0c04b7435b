package io.spillway.sim.scenario;

/** Virtual time: nanoseconds since the start of the run, and epoch milliseconds for the policies. */
public final class SimulatedTime {
    public static final long NANOS_PER_MILLI = 1_000_000;
    public static final long NANOS_PER_SECOND = 1_000_000_000;

    /** Start of every run: midnight of 1 January 2020, UTC. Any time after 2000 works. */
    private static final long START_MILLIS = 1_577_836_800_000L;

    private SimulatedTime() {}

    /** Converts to epoch milliseconds. */
    public static long epochMillis(long nanos) {
        return START_MILLIS + nanos / NANOS_PER_MILLI;
    }

    /** Converts from epoch milliseconds; a fraction of a millisecond is lost. */
    public static long nanosOf(long epochMillis) {
        return (epochMillis - START_MILLIS) * NANOS_PER_MILLI;
    }
}
