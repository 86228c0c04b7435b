package io.spillway.local;

/** The innermost cause of a failure as a single line, for messages that a person reads without a stack trace. */
final class OneLine {
    private OneLine() {}

    static String of(Throwable failure) {
        Throwable innermost = failure;
        while (innermost.getCause() != null) {
            innermost = innermost.getCause();
        }
        String kind = innermost.getClass().getSimpleName();
        String message = innermost.getMessage();
        return message == null ? kind : kind + ": " + message.lines().findFirst().orElse("").strip();
    }
}
