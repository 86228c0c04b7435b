package io.spillway.cli;

/** A command cannot go on. The message is one line for the person at the terminal; the exit code says whose fault it is. */
final class CommandFailure extends RuntimeException {
    private static final long serialVersionUID = 1;
    /** It failed while running. */
    static final int FAILED = 1;
    /** It was called or configured wrongly. */
    static final int USAGE = 2;

    private final int exitCode;

    private CommandFailure(int exitCode, String message) {
        super(message);
        this.exitCode = exitCode;
    }

    static CommandFailure failed(String message) {
        return new CommandFailure(FAILED, message);
    }

    static CommandFailure usage(String message) {
        return new CommandFailure(USAGE, message);
    }

    int exitCode() {
        return exitCode;
    }
}
