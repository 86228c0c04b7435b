package io.spillway.cli.simulate;

import io.spillway.sim.scenario.Scenario;

/** Scenario files for the simulator tests of other packages. */
public final class ScenarioFiles {
    private ScenarioFiles() {}

    /** Loads a scenario file as {@code spillway simulate} does. */
    public static Scenario load(String file) {
        return ScenarioLoader.load(file);
    }
}
