package io.spillway.core.settings;

import java.util.regex.Pattern;

/**
 * Text format of numbers: {@code 7}, {@code 1_000}, {@code 0.25}, {@code 1e3}. Refuses what others read as another
 * number, such as {@code 0100}, {@code 0x1F}, {@code 1d} and digits of other scripts.
 */
public final class Numbers {
    private static final String DIGITS = "(0|[1-9]\\d*(_\\d+)*)";
    private static final Pattern WHOLE = Pattern.compile("-?" + DIGITS);
    private static final Pattern DECIMAL =
            Pattern.compile("-?(" + DIGITS + "(\\.\\d+)?|\\.\\d+)([eE][-+]?\\d{1,3})?");
    private static final Pattern LEADING_ZERO = Pattern.compile("[-+]?0[\\d_].*");

    private Numbers() {}

    /**
     * Parses a whole number.
     *
     * @throws NumberFormatException when the text is not one, or has more than 64 bits
     */
    public static long whole(String text) {
        return Long.parseLong(checked(WHOLE, text));
    }

    /**
     * Parses a number, perhaps with a fraction or an exponent.
     *
     * @throws NumberFormatException when the text is not one
     */
    public static double decimal(String text) {
        return Double.parseDouble(checked(DECIMAL, text));
    }

    /** Returns what to add to an error when text looks like an allowed number, and is not: empty for other text. */
    public static String hint(String text) {
        return LEADING_ZERO.matcher(text.strip()).matches() ? " (without leading zeros)" : "";
    }

    /** Returns a number for a message, without decimals when it is whole. */
    public static String plain(double number) {
        boolean isWhole = number == Math.rint(number) && Math.abs(number) < 1e15;
        return isWhole ? Long.toString((long) number) : Double.toString(number);
    }

    private static String checked(Pattern pattern, String text) {
        if (!pattern.matcher(text).matches()) {
            throw new NumberFormatException(text);
        }
        return text.replace("_", "");
    }
}
