package io.spillway.deadletter;

/** Error of a run that a newer run has fenced: only one run at a time may finish dead letters. */
public final class SupersededException extends RuntimeException {
    private static final long serialVersionUID = 1;
    private final long done;

    SupersededException(long done, Throwable cause) {
        super("another replay or discard has started, or a transaction of this one exceeded its timeout", cause);
        this.done = done;
    }

    /** Returns the number of dead letters that this run has finished; the other run continues after them. */
    public long done() {
        return done;
    }
}
