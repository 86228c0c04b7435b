package io.spillway.testing;

/** Thrown by a handler under test to end the worker that calls it, as a crash of the process would. */
public final class WorkerDeath extends Error {
    private static final long serialVersionUID = 1;

    /** Creates a death without a stack trace. */
    public WorkerDeath() {
        super("the worker dies", null, false, false);
    }
}
