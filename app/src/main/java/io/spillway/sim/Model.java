package io.spillway.sim;

/** What takes items in and has them handled. */
interface Model {
    /** An item has been accepted. */
    void arrive(SimulatedItem item, long nowNanos);

    /** Attempts under way. */
    int inFlight();

    /** Workers that died so far. */
    int deaths();
}
