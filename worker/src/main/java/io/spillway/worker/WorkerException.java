package io.spillway.worker;

/** The worker cannot start or continue. The message is one line for an operator. */
public final class WorkerException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** Creates a failure with a complete message: one line, already escaped. */
    public WorkerException(String message) {
        super(message);
    }

    /** Creates a failure with a complete message and its cause. */
    public WorkerException(String message, Throwable cause) {
        super(message, cause);
    }
}
