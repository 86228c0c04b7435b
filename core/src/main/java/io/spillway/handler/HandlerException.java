package io.spillway.handler;

/** Configuration error that prevents the creation of a handler. The message is one line that names the setting. */
public final class HandlerException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public HandlerException(String message, Throwable cause) {
        super(message, cause);
    }
}
