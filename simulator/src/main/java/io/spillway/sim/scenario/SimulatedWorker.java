package io.spillway.sim.scenario;

import io.spillway.core.scheduling.DispatchSettings;

/**
 * One worker of a simulation.
 *
 * @param dispatch scheduler settings
 * @param slowdown factor on the duration of its attempts, {@link ScenarioLimits#MIN_FACTOR} to
 *                 {@link ScenarioLimits#MAX_FACTOR}
 */
public record SimulatedWorker(DispatchSettings dispatch, double slowdown) {
    /** @throws IllegalArgumentException when the factor is out of its range */
    public SimulatedWorker {
        ScenarioLimits.require("slowdown", slowdown, ScenarioLimits.MIN_FACTOR, ScenarioLimits.MAX_FACTOR);
    }
}
