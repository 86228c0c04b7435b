package io.spillway.core.text;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Sanitizer of untrusted text for log lines, headers, messages and terminals. The text cannot forge, hide or color a
 * line or a field.
 */
public final class Printable {
    /** Maximum characters that {@link #of} returns; longer text is cut and ends in three dots. */
    public static final int MAX_LENGTH = 200;

    /** Control characters, invisible format characters such as direction marks, lone surrogates, line separators. */
    private static final Pattern UNSAFE = Pattern.compile("[\\p{Cc}\\p{Cf}\\p{Cs}\\p{Zl}\\p{Zp}]");
    private static final Pattern LINE_END = Pattern.compile("\\R\\s*");

    private Printable() {}

    /**
     * Returns the text with everything but printable ASCII as {@code \\uXXXX}, and each backslash doubled: at most
     * {@link #MAX_LENGTH} characters. Null gives {@code null}.
     */
    public static String of(String text) {
        return of(text, MAX_LENGTH);
    }

    /** Returns the text as {@link #of(String)} does, with at most this many characters, 4 or more. */
    public static String of(String text, int maxLength) {
        if (text == null) {
            return "null";
        }
        StringBuilder out = new StringBuilder(Math.min(text.length(), maxLength));
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            String piece = c == '\\' ? "\\\\"
                    : c >= ' ' && c <= '~' ? String.valueOf(c)
                    : String.format(Locale.ROOT, "\\u%04x", (int) c);
            if (out.length() + piece.length() > maxLength - 3) {
                return out.append("...").toString();
            }
            out.append(piece);
        }
        return out.toString();
    }

    /** Returns a number with its noun, such as {@code 1 item} or {@code 2,000 items}. */
    public static String count(long number, String noun) {
        return String.format(Locale.ROOT, "%,d %s%s", number, noun, number == 1 ? "" : "s");
    }

    /**
     * Returns the whole text in any script, with each character that a terminal may interpret as {@code \\uXXXX}. Null
     * gives {@code null}.
     */
    public static String inFull(String text) {
        return UNSAFE.matcher(String.valueOf(text))
                .replaceAll(found -> Matcher.quoteReplacement(
                        String.format(Locale.ROOT, "\\u%04x", found.group().codePointAt(0))));
    }

    /** Returns the text as {@link #inFull} does, with a space for each line end. */
    public static String onOneLine(String text) {
        return inFull(LINE_END.matcher(String.valueOf(text).strip()).replaceAll(" "));
    }

    /** Returns the simple class name and the first message line of the innermost cause. */
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
