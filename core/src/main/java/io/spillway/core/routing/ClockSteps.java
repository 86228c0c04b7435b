package io.spillway.core.routing;

/**
 * Detector of forward steps of a wall clock, which compares it with a monotonic clock. A step makes every item look
 * older than it is, and those with a time to live would be dropped.
 *
 * <p>After a step of {@value #STEP_MILLIS} ms or more, ages are computed without it for {@value #HOLD_MILLIS} ms: long
 * enough for a time service to set the clock right. Then the new time counts, because a machine that was suspended, or
 * whose clock was slow, is also seen as a step. A step back ends the hold. Several steps add up; a slow drift is not a
 * step.
 *
 * <p>Owner: one clock of the process, whose threads call it under its lock. Bound: four numbers.
 */
public final class ClockSteps {
    /** Smallest step: more than the longest pause between the readings of the two clocks. */
    public static final long STEP_MILLIS = 10_000;
    public static final long HOLD_MILLIS = 600_000;

    private static final long NANOS_PER_MILLI = 1_000_000;

    private long wallMillis;
    private long nanos;
    private long aheadMillis;
    private long heldSinceNanos;

    /** Starts with both clocks in step. */
    public ClockSteps(long wallMillis, long nanos) {
        this.wallMillis = wallMillis;
        this.nanos = nanos;
    }

    /**
     * Returns by how much the wall clock is ahead because of steps, 0 or more. Call it at least every few minutes: a
     * step is the difference since the last call.
     *
     * @param nowMillis wall clock, epoch milliseconds
     * @param nowNanos  monotonic clock, read at the same moment
     */
    public synchronized long aheadMillis(long nowMillis, long nowNanos) {
        long stepMillis = nowMillis - wallMillis - (nowNanos - nanos) / NANOS_PER_MILLI;
        wallMillis = nowMillis;
        nanos = nowNanos;
        if (stepMillis >= STEP_MILLIS) {
            aheadMillis += stepMillis;
            heldSinceNanos = nowNanos;
        } else if (aheadMillis > 0 && stepMillis <= -STEP_MILLIS) {
            aheadMillis += stepMillis;
        }
        boolean isOver = aheadMillis < STEP_MILLIS || nowNanos - heldSinceNanos >= HOLD_MILLIS * NANOS_PER_MILLI;
        aheadMillis = isOver ? 0 : aheadMillis;
        return aheadMillis;
    }
}
