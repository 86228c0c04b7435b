package io.spillway.cli;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Text of any origin for a terminal or a log: line ends and whatever else a terminal might obey stand there as their
 * numbers, so that nothing can forge a line, hide one or colour it. All other characters, and the length, stay.
 */
final class SafeText {
    /** Controls, invisible format characters such as those that turn the direction, lone surrogates, line ends. */
    private static final Pattern UNSAFE = Pattern.compile("[\\p{Cc}\\p{Cf}\\p{Cs}\\p{Zl}\\p{Zp}]");
    private static final Pattern LINE_END = Pattern.compile("\\R\\s*");

    private SafeText() {}

    /** The text with every unsafe character as {@code \\uXXXX}; null as {@code null}. */
    static String of(String text) {
        return UNSAFE.matcher(String.valueOf(text))
                .replaceAll(found -> Matcher.quoteReplacement("\\u%04x".formatted(found.group().codePointAt(0))));
    }

    /** As {@link #of}, but with a space for each line end: a message of several lines stays readable on one. */
    static String onOneLine(String text) {
        return of(LINE_END.matcher(String.valueOf(text).strip()).replaceAll(" "));
    }
}
