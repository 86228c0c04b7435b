package io.spillway.cli.diagnosis;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/**
 * Result of one check.
 *
 * @param check  name of the check
 * @param text   what was found, one sentence
 * @param remedy what to do, one or more sentences; empty if there is nothing to do
 */
record Finding(String check, Level level, String text, String remedy) {
    /** Severity of a finding, as of an alert: a warning is {@link #WARN} and a critical alert is {@link #FAIL}. */
    enum Level {
        OK,
        WARN,
        FAIL,
        /** The check could not be made. */
        SKIPPED
    }

    static Finding ok(String check, String text) {
        return new Finding(check, Level.OK, text, "");
    }

    static Finding warn(String check, String text, String remedy) {
        return new Finding(check, Level.WARN, text, remedy);
    }

    static Finding fail(String check, String text, String remedy) {
        return new Finding(check, Level.FAIL, text, remedy);
    }

    static Finding skipped(String check, String text) {
        return new Finding(check, Level.SKIPPED, text, "");
    }

    /** Returns the JSON fields. */
    Map<String, Object> fields() {
        Map<String, Object> fields = new HashMap<>(Map.of(
                "check", check, "level", level.name().toLowerCase(Locale.ROOT), "text", text));
        fields.put("remedy", remedy.isEmpty() ? null : remedy);
        return fields;
    }
}
