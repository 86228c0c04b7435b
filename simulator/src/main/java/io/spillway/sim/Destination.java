package io.spillway.sim;

import io.spillway.handler.Outcome;
import io.spillway.sim.scenario.SeededRandom;

/** Source of the duration and the result of attempts. */
interface Destination {
    /**
     * End of an attempt, known from its start.
     *
     * @param destination what the attempt depends on, as its handler names it; empty for the only one
     * @param kills       whether it kills its worker
     */
    record Ending(long nanos, Outcome result, String destination, boolean kills) {}

    /**
     * Makes an attempt.
     *
     * @param attempts attempts made before
     * @param slowdown how many times as long as on others an attempt takes on its worker
     */
    Ending attempt(SimulatedItem item, int attempts, double slowdown, long timeoutMillis, long nowNanos);

    /** Returns the randomness for the step after an attempt, such as the wait before the next. */
    SeededRandom randomAfter(SimulatedItem item, int attempts);
}
