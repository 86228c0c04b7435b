package io.spillway.core.settings;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Text format of durations: {@code 250ms}, {@code 30s}, {@code 5m}, {@code 1h}, {@code 7d}. */
public final class Durations {
    /** The units of a duration, for messages that refuse one. */
    public static final String UNITS_TEXT = "units: ms, s, m, h, d";

    private static final Pattern TEXT = Pattern.compile("(\\d{1,19})(ms|s|m|h|d)");
    private static final String ALLOWED = "must be a duration such as 250ms, 30s, 5m, 1h or 7d (" + UNITS_TEXT + ")";
    private static final String[] UNITS = {"d", "h", "m", "s", "ms"};
    private static final long[] UNIT_MILLIS = {86_400_000, 3_600_000, 60_000, 1_000, 1};

    private Durations() {}

    /**
     * Parses a duration, a whole number and a unit, to milliseconds.
     *
     * @throws IllegalArgumentException when the text is not a duration; the message says what is allowed
     */
    public static long parseMillis(String text) {
        Matcher matcher = TEXT.matcher(text.strip());
        if (!matcher.matches()) {
            throw new IllegalArgumentException(ALLOWED);
        }
        int unit = List.of(UNITS).indexOf(matcher.group(2));
        try {
            return Math.multiplyExact(Long.parseLong(matcher.group(1)), UNIT_MILLIS[unit]);
        } catch (NumberFormatException | ArithmeticException tooLong) {
            throw new IllegalArgumentException(ALLOWED, tooLong);
        }
    }

    /** Formats a duration of 0 or more with the largest unit that gives a whole number, for example {@code 5m}. */
    public static String format(long millis) {
        for (int i = 0; i < UNITS.length; i++) {
            if (millis >= UNIT_MILLIS[i] && millis % UNIT_MILLIS[i] == 0) {
                return millis / UNIT_MILLIS[i] + UNITS[i];
            }
        }
        return millis + "ms";
    }
}
