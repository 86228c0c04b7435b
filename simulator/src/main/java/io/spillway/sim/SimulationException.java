package io.spillway.sim;

/** Failure of a run. The message is one line for the author of the scenario. */
public final class SimulationException extends RuntimeException {
    private static final long serialVersionUID = 1;

    SimulationException(String message) {
        super(message);
    }
}
