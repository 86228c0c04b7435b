package io.spillway.sim;

/** A run cannot go on. The message is one line for the person who wrote the scenario. */
public final class SimulationException extends RuntimeException {
    private static final long serialVersionUID = 1;

    SimulationException(String message) {
        super(message);
    }
}
