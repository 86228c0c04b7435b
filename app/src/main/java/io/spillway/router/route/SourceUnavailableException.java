package io.spillway.router.route;

/** What a record of a source needs cannot be had now: the source stops before it, and tries again. */
public final class SourceUnavailableException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** @param message what cannot be had, for the log */
    public SourceUnavailableException(String message) {
        super(message);
    }
}
