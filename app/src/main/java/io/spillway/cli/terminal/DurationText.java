package io.spillway.cli.terminal;

import java.time.Duration;
import java.util.Locale;

/** Durations for people: {@code 4.2 ms}, {@code 1.5 s}, {@code 3 min 20 s}, {@code 2 h}; in tables {@code 2h 5m}. */
public final class DurationText {
    private DurationText() {}

    /** Returns the two largest units that are not zero. */
    public static String of(double millis) {
        if (millis < 9.95) {
            return String.format(Locale.ROOT, "%.1f ms", millis);
        }
        if (millis < 1_000) {
            return Math.round(millis) + " ms";
        }
        if (millis < 60_000) {
            return String.format(Locale.ROOT, "%.1f s", millis / 1_000);
        }
        long seconds = Math.round(millis / 1_000);
        if (seconds < 3_600) {
            return seconds / 60 + " min" + (seconds % 60 == 0 ? "" : " " + seconds % 60 + " s");
        }
        long minutes = Math.round(millis / 60_000);
        return minutes / 60 + " h" + (minutes % 60 == 0 ? "" : " " + minutes % 60 + " min");
    }

    /** Returns the two largest units of seconds, 0 or more, for a cell of a table: {@code 4.2s}, {@code 2h 5m}. */
    public static String compact(double seconds) {
        Duration age = Duration.ofMillis((long) Math.ceil(seconds * 1e3));
        if (age.toDays() > 0) {
            return age.toDays() + "d " + age.toHoursPart() + "h";
        }
        if (age.toHours() > 0) {
            return age.toHours() + "h " + age.toMinutesPart() + "m";
        }
        return age.toMinutes() > 0
                ? age.toMinutes() + "m " + age.toSecondsPart() + "s"
                : String.format(Locale.ROOT, "%.1fs", age.toMillis() / 1e3);
    }
}
