package io.spillway.sim.scenario;

/** What happens to the handlers of a group, or of everybody, for a while. */
public sealed interface Disturbance {
    /** When; an attempt is disturbed by what is going on when it starts. */
    Window window();

    /**
     * Every attempt fails, after the time that it would have taken.
     *
     * @param window not null
     */
    record Outage(Window window) implements Disturbance {}

    /**
     * No attempt ends by itself: each runs into its timeout.
     *
     * @param window not null
     */
    record Hang(Window window) implements Disturbance {}

    /**
     * Every attempt takes so many times as long.
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
