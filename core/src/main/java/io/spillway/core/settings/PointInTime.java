package io.spillway.core.settings;

import io.spillway.core.item.ItemLimits;
import java.time.DateTimeException;
import java.time.OffsetDateTime;
import java.util.Locale;

/**
 * Text format of points in time: ISO 8601 with a zone, epoch milliseconds, or a duration such as {@code 2h}. A number
 * in another unit, such as seconds, is refused.
 */
public final class PointInTime {
    private static final String ALLOWED =
            "must be a time such as 2026-11-21T08:00:00Z, epoch milliseconds, or %s such as 2h ("
                    + Durations.UNITS_TEXT + ")";

    private PointInTime() {}

    /**
     * Parses a point in time to epoch milliseconds; an age counts from now.
     *
     * @throws IllegalArgumentException when the text is not a point in time; the message says what is allowed
     */
    public static long parseMillis(String text, long nowMillis) {
        return parseMillis(text, nowMillis, -1, "an age");
    }

    /** Parses a point in time as {@link #parseMillis} does, but a duration counts ahead from now. */
    public static long parseAheadMillis(String text, long nowMillis) {
        return parseMillis(text, nowMillis, 1, "a duration");
    }

    private static long parseMillis(String text, long nowMillis, int direction, String duration) {
        String time = text.strip();
        try {
            if (time.matches("[0-9]{1,15}")) {
                long millis = Long.parseLong(time);
                if (millis != 0 && !ItemLimits.isTime(millis)) {
                    throw new IllegalArgumentException("another unit");
                }
                return millis;
            }
            if (time.matches("[0-9]+[a-z]+")) {
                return Math.addExact(nowMillis, direction * Durations.parseMillis(time));
            }
            return OffsetDateTime.parse(time).toInstant().toEpochMilli();
        } catch (DateTimeException | ArithmeticException | IllegalArgumentException e) {
            throw new IllegalArgumentException(String.format(Locale.ROOT, ALLOWED, duration), e);
        }
    }
}
