package io.spillway.deadletter;

/** Another run has begun, and ended this one: only one at a time may finish dead letters. */
public final class SupersededException extends RuntimeException {
    private static final long serialVersionUID = 1;
    private final long done;

    SupersededException(long done, Throwable cause) {
        super("another replay or discard has started, or a transaction of this one took longer than it may", cause);
        this.done = done;
    }

    /** How many dead letters this run has finished, for good; the other run goes on behind them. */
    public long done() {
        return done;
    }
}
