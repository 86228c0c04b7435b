package io.spillway.core.item;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Sanitizes text from outside for log lines, headers, messages and terminals, so that it cannot forge a line or a field,
 * hide one or colour it.
 */
public final class Printable {
    /** Most characters that {@link #of} returns; longer text ends in three dots. */
    public static final int MAX_LENGTH = 200;

    /** Controls, invisible format characters such as those that turn the direction, lone surrogates, line ends. */
    private static final Pattern UNSAFE = Pattern.compile("[\\p{Cc}\\p{Cf}\\p{Cs}\\p{Zl}\\p{Zp}]");
    private static final Pattern LINE_END = Pattern.compile("\\R\\s*");

    private Printable() {}

    /**
     * Returns the text with everything but printable ASCII as {@code \\uXXXX}, and a backslash doubled.
     *
     * @param text from outside; null comes out as {@code null}
     * @return at most {@link #MAX_LENGTH} characters
     */
    public static String of(String text) {
        if (text == null) {
            return "null";
        }
        StringBuilder out = new StringBuilder(Math.min(text.length(), MAX_LENGTH));
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            String piece = c == '\\' ? "\\\\"
                    : c >= ' ' && c <= '~' ? String.valueOf(c)
                    : String.format("\\u%04x", (int) c);
            if (out.length() + piece.length() > MAX_LENGTH - 3) {
                return out.append("...").toString();
            }
            out.append(piece);
        }
        return out.toString();
    }

    /**
     * Returns the whole text in any script, with every character that a terminal may obey as {@code \\uXXXX}.
     *
     * @param text null comes out as {@code null}
     */
    public static String inFull(String text) {
        return UNSAFE.matcher(String.valueOf(text))
                .replaceAll(found -> Matcher.quoteReplacement("\\u%04x".formatted(found.group().codePointAt(0))));
    }

    /** As {@link #inFull}, with a space for each line end: a message of several lines stays readable on one. */
    public static String onOneLine(String text) {
        return inFull(LINE_END.matcher(String.valueOf(text).strip()).replaceAll(" "));
    }

    /** Returns kind and first line of the message of the innermost cause of a failure. */
    public static String innermostCause(Throwable failure) {
        Throwable innermost = failure;
        while (innermost.getCause() != null) {
            innermost = innermost.getCause();
        }
        String kind = innermost.getClass().getSimpleName();
        String message = innermost.getMessage();
        return message == null ? kind : inFull(kind + ": " + message.lines().findFirst().orElse("").strip());
    }
}
