package io.spillway.cli.terminal;

import java.io.Console;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/** Terminal of this process, if it has one. */
public final class Terminal {
    /** Below it, the names of the options leave no room for their descriptions. */
    private static final int MIN_COLUMNS = 55;
    private static final int MAX_COLUMNS = 200;
    private static final Path STANDARD_ERROR = Path.of("/proc/self/fd/2");
    private static final Path TERMINAL = Path.of("/dev/tty");

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

    /** Columns and rows, 1 or more. */
    public record Size(int columns, int rows) {
        private static final Size USUAL = new Size(80, 24);

        /** Parses the answer of {@code stty size}: rows and columns; empty for any other text. */
        static Optional<Size> parse(String answer) {
            return answer.strip().matches("[1-9][0-9]{0,3} [1-9][0-9]{0,3}")
                    ? Optional.of(new Size(
                            Integer.parseInt(answer.strip().split(" ")[1]),
                            Integer.parseInt(answer.strip().split(" ")[0])))
                    : Optional.empty();
        }
    }

    /** Returns the size of the terminal now; from {@code COLUMNS} and {@code LINES}, or 80 by 24, if it cannot say. */
    public static Size size(Map<String, String> environment) {
        return Size.parse(askedSize()).orElseGet(() -> Size.parse(
                        environment.getOrDefault("LINES", "") + " " + environment.getOrDefault("COLUMNS", ""))
                .orElse(Size.USUAL));
    }

    /** Java cannot ask a terminal for its size, and its tool can. */
    private static String askedSize() {
        try {
            Process stty = new ProcessBuilder("stty", "size")
                    .redirectInput(TERMINAL.toFile()).redirectError(ProcessBuilder.Redirect.DISCARD).start();
            return new String(stty.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
        } catch (IOException noSuchTool) {
            return "";
        }
    }

    /** Returns whether colours are wanted: the variable {@code NO_COLOR} is not set, or empty (no-color.org). */
    public static boolean isColored(Map<String, String> environment) {
        return environment.getOrDefault("NO_COLOR", "").isEmpty();
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
