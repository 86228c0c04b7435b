package io.spillway.sim.scenario;

/** Temporary change to the handlers of a group. */
public sealed interface Disturbance {
    /** Returns its time window; it affects the attempts that start within it. */
    Window window();

    /**
     * Every attempt fails, after its normal duration.
     *
     * @param window not null
     */
    record Outage(Window window) implements Disturbance {}

    /**
     * Every attempt runs into its timeout.
     *
     * @param window not null
     */
    record Hang(Window window) implements Disturbance {}

    /**
     * Every attempt takes longer by a factor.
     *
     * @param window not null
     * @param factor above 0
     */
    record Slowdown(Window window, double factor) implements Disturbance {
        public Slowdown {
            if (!(factor > 0 && factor <= 100_000)) {
                throw new IllegalArgumentException("factor = " + factor + ": must be above 0, and 100000 at most");
            }
        }
    }
}
