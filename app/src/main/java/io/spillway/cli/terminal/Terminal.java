package io.spillway.cli.terminal;

import java.io.Console;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.OptionalInt;

/** Terminal of this process, if it has one. */
public final class Terminal {
    /** Below it, the names of the options leave no room for their descriptions. */
    private static final int MIN_COLUMNS = 55;
    private static final int MAX_COLUMNS = 200;
    private static final Path STANDARD_ERROR = Path.of("/proc/self/fd/2");

    private Terminal() {}

    /** Returns whether input, output and errors are a terminal that understands escape codes. */
    public static boolean isPresent() {
        Console console = System.console();
        if (console == null || "dumb".equals(System.getenv("TERM")) || isRedirected(STANDARD_ERROR)) {
            return false;
        }
        try {
            // From JDK 22 a console can exist without a terminal, and has this method.
            return (boolean) Console.class.getMethod("isTerminal").invoke(console);
        } catch (NoSuchMethodException beforeJdk22) {
            return true;
        } catch (ReflectiveOperationException e) {
            return false;
        }
    }

    /** Returns the columns that COLUMNS states, within what a help text can use; empty if it states none. */
    public static OptionalInt columns(Map<String, String> environment) {
        String columns = environment.getOrDefault("COLUMNS", "");
        return columns.matches("[1-9][0-9]{0,5}")
                ? OptionalInt.of(Math.clamp(Integer.parseInt(columns), MIN_COLUMNS, MAX_COLUMNS))
                : OptionalInt.empty();
    }

    /** Returns the user and the host of this process, such as {@code zoe@build-3}; the user if the host has no name. */
    public static String user() {
        String user = System.getProperty("user.name", "unknown");
        try {
            return user + "@" + InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException noName) {
            return user;
        }
    }

    /** Returns whether a link of /proc leads elsewhere than to a terminal; false on a system without such links. */
    static boolean isRedirected(Path link) {
        try {
            Path target = Files.readSymbolicLink(link);
            return !target.startsWith("/dev/pts") && !target.toString().startsWith("/dev/tty")
                    && !target.equals(Path.of("/dev/console"));
        } catch (IOException | UnsupportedOperationException noSuchLink) {
            return false;
        }
    }
}
