package io.spillway.router;

/** Failure to start or to continue the router. The message is one line for an operator. */
public final class RouterException extends RuntimeException {
    RouterException(String message) {
        super(message);
    }
}
