package io.spillway.worker;

/** A handler cannot be made as it is configured. The message is one line that names the setting. */
public final class HandlerException extends RuntimeException {
    private static final long serialVersionUID = 1;

    HandlerException(String message, Throwable cause) {
        super(message, cause);
    }
}
