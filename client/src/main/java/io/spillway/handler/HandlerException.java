package io.spillway.handler;

/** A handler cannot be made as it is configured. The message is one line that names the setting. */
public final class HandlerException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public HandlerException(String message, Throwable cause) {
        super(message, cause);
    }
}
