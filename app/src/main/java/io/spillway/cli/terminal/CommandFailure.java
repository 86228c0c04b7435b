package io.spillway.cli.terminal;

import io.spillway.core.item.ItemLimits;
import io.spillway.core.item.Printable;
import io.spillway.kafka.view.ViewContent;

/** A command cannot go on. The message is one line for the person at the terminal; the exit code says whose fault it is. */
public final class CommandFailure extends RuntimeException {
    private static final long serialVersionUID = 1;
    /** It failed while running. */
    public static final int FAILED = 1;
    /** It was called or configured wrongly. */
    public static final int USAGE = 2;

    private static final String NAME = "1 to " + ItemLimits.MAX_NAME_LENGTH + " of A-Z a-z 0-9 . _ -";

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

    /** Refuses what cannot be the name of a tenant or workload. */
    public static void requireName(String option, String name) {
        if (!ItemLimits.isName(name)) {
            throw usage(option + " " + Printable.of(name) + ": must be " + NAME);
        }
    }

    /** Refuses what is neither the name of a tenant nor {@code *} for all of them. */
    public static void requireNameOrAll(String option, String name) {
        if (!name.equals(ViewContent.ALL_TENANTS) && !ItemLimits.isName(name)) {
            throw usage(option + " " + Printable.of(name) + ": must be * or " + NAME);
        }
    }

    public int exitCode() {
        return exitCode;
    }
}
