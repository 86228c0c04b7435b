package io.spillway.cli.terminal;

import java.util.Locale;

/** Durations for people: {@code 4.2 ms}, {@code 1.5 s}, {@code 3 min 20 s}, {@code 2 h}. */
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
}
