package io.spillway.worker;

/** The worker cannot start or continue. The message is one line for an operator. */
public final class WorkerException extends RuntimeException {
    private static final long serialVersionUID = 1;

    WorkerException(String message) {
        super(message);
    }
}
