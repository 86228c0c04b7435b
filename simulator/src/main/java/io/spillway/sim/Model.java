package io.spillway.sim;

/** Queueing model: accepts items and runs attempts at them. */
interface Model {
    void arrive(SimulatedItem item, long nowNanos);

    /** Returns the running attempts. */
    int inFlight();
}
