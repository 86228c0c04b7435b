package io.spillway.cli.terminal;

/** Expected failure of a command: a message of one line for the user, and the exit code. */
public final class CommandFailure extends RuntimeException {
    private static final long serialVersionUID = 1;
    /** The command failed while running. */
    public static final int FAILED = 1;
    /** The options or the configuration are wrong. */
    public static final int USAGE = 2;
    /** Ctrl-C has ended the command: 128 and the number of SIGINT, as a shell and the JVM have it. */
    public static final int INTERRUPTED = 130;
    /** SIGTERM has ended the command. */
    public static final int TERMINATED = 143;

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
