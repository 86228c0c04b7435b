package io.spillway.sim.scenario;

/** Temporary change to the handlers of a group. */
public sealed interface Disturbance {
    /** Returns its time window; it affects the attempts that start within it. */
    Window window();

    /** Every attempt fails, after its normal duration. */
    record Outage(Window window) implements Disturbance {}

    /** Every attempt runs into its timeout. */
    record Hang(Window window) implements Disturbance {}

    /** Every attempt kills its worker when it ends. */
    record Kill(Window window) implements Disturbance {}

    /** Every attempt takes longer by a factor. */
    record Slowdown(Window window, double factor) implements Disturbance {
        public Slowdown {
            ScenarioLimits.require("factor", factor, ScenarioLimits.MIN_FACTOR, ScenarioLimits.MAX_FACTOR);
        }
    }
}
