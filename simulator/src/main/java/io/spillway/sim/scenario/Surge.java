package io.spillway.sim.scenario;

/**
 * Temporary change of the arrival rate.
 *
 * @param factor of constant and Poisson arrivals, 0 or more
 */
public record Surge(Window window, double factor) {
    public Surge {
        ScenarioLimits.require("factor", factor, 0, ScenarioLimits.MAX_FACTOR);
    }
}
