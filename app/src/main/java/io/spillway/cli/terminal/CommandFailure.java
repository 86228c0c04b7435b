package io.spillway.cli.terminal;


/** A command cannot go on. The message is one line for the person at the terminal; the exit code says whose fault it is. */
public final class CommandFailure extends RuntimeException {
    private static final long serialVersionUID = 1;
    /** It failed while running. */
    public static final int FAILED = 1;
    /** It was called or configured wrongly. */
    public static final int USAGE = 2;

    private final int exitCode;

    private CommandFailure(int exitCode, String message) {
        super(message);
        this.exitCode = exitCode;
    }

    public static CommandFailure failed(String message) {
        return new CommandFailure(FAILED, message);
    }

    public static CommandFailure usage(String message) {
        return new CommandFailure(USAGE, message);
    }

    public int exitCode() {
        return exitCode;
    }
}
