package io.spillway.worker;

import io.spillway.core.text.Printable;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Text of a failed attempt for the dead letter and the log: class and message of the exception and of its causes, each
 * with the top of its trace. Lines of printable ASCII, so that a message of a tenant cannot forge a line.
 */
final class FailureText {
    /** Maximum size of a text, in bytes and characters. */
    static final int MAX_BYTES = 4_000;
    private static final int MAX_MESSAGE = 1_000;
    private static final int MAX_FRAMES = 12;
    private static final int MAX_CAUSES = 4;

    private FailureText() {}

    /** Returns the text of an exception that a handler threw. Its own methods may fail. */
    static String of(Throwable thrown) {
        StringBuilder out = new StringBuilder();
        Throwable next = thrown;
        for (int causes = 0; next != null && causes <= MAX_CAUSES; causes++) {
            Throwable current = next;
            out.append(causes == 0 ? "" : "\nCaused by: ").append(describe(current, MAX_MESSAGE));
            frames(attempt(current::getStackTrace, new StackTraceElement[0]), out);
            next = attempt(current::getCause, null);
        }
        return cut(out.toString());
    }

    /**
     * Returns a copy for a logger, with the class and message of the exception as its message. A logger would call the
     * methods of the original, which may fail.
     */
    static Throwable forLog(Throwable thrown) {
        return copy(thrown, 0);
    }

    private static Throwable copy(Throwable thrown, int depth) {
        Throwable cause = depth == MAX_CAUSES ? null : attempt(thrown::getCause, null);
        Throwable copy = new Thrown(describe(thrown, MAX_MESSAGE), cause == null ? null : copy(cause, depth + 1));
        StackTraceElement[] frames = attempt(thrown::getStackTrace, new StackTraceElement[0]);
        copy.setStackTrace(Arrays.copyOf(frames, Math.min(frames.length, MAX_FRAMES)));
        return copy;
    }

    /** Copy of an exception of a handler. */
    private static final class Thrown extends Exception {
        private static final long serialVersionUID = 1;

        Thrown(String message, Throwable cause) {
            super(message, cause);
        }
    }

    /** Returns the text of a handler's reason for its outcome when the header for the detail cuts it. */
    static Optional<String> ofLong(String detail) {
        String text = Printable.of(detail, MAX_BYTES);
        return text.length() > Printable.MAX_LENGTH ? Optional.of(text) : Optional.empty();
    }

    /** Returns class and message on one line, as {@code toString} has them, or the class when that fails. */
    static String describe(Throwable thrown, int maxLength) {
        String text = attempt(thrown::toString, null);
        return Printable.of(text == null ? thrown.getClass().getName() : text, maxLength);
    }

    private static void frames(StackTraceElement[] frames, StringBuilder out) {
        for (int i = 0; i < Math.min(frames.length, MAX_FRAMES); i++) {
            out.append("\n    at ").append(Printable.of(frames[i].toString()));
        }
        if (frames.length > MAX_FRAMES) {
            out.append("\n    ... ").append(frames.length - MAX_FRAMES).append(" more");
        }
    }

    private static String cut(String text) {
        return text.length() > MAX_BYTES ? text.substring(0, MAX_BYTES - 3) + "..." : text;
    }

    private static <T> T attempt(Supplier<T> method, T otherwise) {
        try {
            return method.get();
        } catch (OutOfMemoryError e) {
            throw e;
        } catch (Throwable e) {
            return otherwise;
        }
    }
}
