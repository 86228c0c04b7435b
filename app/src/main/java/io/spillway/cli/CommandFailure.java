package io.spillway.cli;

import io.spillway.policy.ItemLimits;
import io.spillway.policy.Printable;
import io.spillway.topic.ViewContent;

/** A command cannot go on. The message is one line for the person at the terminal; the exit code says whose fault it is. */
final class CommandFailure extends RuntimeException {
    private static final long serialVersionUID = 1;
    /** It failed while running. */
    static final int FAILED = 1;
    /** It was called or configured wrongly. */
    static final int USAGE = 2;

    private static final String NAME = "1 to " + ItemLimits.MAX_NAME_LENGTH + " of A-Z a-z 0-9 . _ -";

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

    /** Refuses what cannot be the name of a tenant or workload. */
    static void requireName(String option, String name) {
        if (!ItemLimits.isName(name)) {
            throw usage(option + " " + Printable.of(name) + ": must be " + NAME);
        }
    }

    /** Refuses what is neither the name of a tenant nor {@code *} for all of them. */
    static void requireNameOrAll(String option, String name) {
        if (!name.equals(ViewContent.ALL_TENANTS) && !ItemLimits.isName(name)) {
            throw usage(option + " " + Printable.of(name) + ": must be * or " + NAME);
        }
    }

    int exitCode() {
        return exitCode;
    }
}
