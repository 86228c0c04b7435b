package io.spillway.sim.scenario;

/**
 * Temporary change of the arrival rate.
 *
 * @param window not null
 * @param factor of constant and Poisson arrivals, 0 or more
 */
public record Surge(Window window, double factor) {
    /** @throws IllegalArgumentException when the factor is out of range */
    public Surge {
        if (!(factor >= 0 && factor <= 100_000)) {
            throw new IllegalArgumentException("factor = " + factor + ": must be from 0 to 100000");
        }
    }
}
