package io.spillway.sim.scenario;

/** Virtual time: nanoseconds since the start of the run, and what the policies take for milliseconds since 1970. */
public final class SimulatedTime {
    public static final long NANOS_PER_MILLI = 1_000_000;
    public static final long NANOS_PER_SECOND = 1_000_000_000;

    /** When every run starts: midnight of 1 January 2020, UTC. Any moment after 2000 would do. */
    private static final long START_MILLIS = 1_577_836_800_000L;

    private SimulatedTime() {}

    /** The moment as policies count it. */
    public static long epochMillis(long nanos) {
        return START_MILLIS + nanos / NANOS_PER_MILLI;
    }

    /** The way back; a fraction of a millisecond is lost. */
    public static long nanosOf(long epochMillis) {
        return (epochMillis - START_MILLIS) * NANOS_PER_MILLI;
    }
}
