package io.spillway.router;

/** The router cannot start or go on. The message is one line for an operator. */
public final class RouterException extends RuntimeException {
    RouterException(String message) {
        super(message);
    }
}
