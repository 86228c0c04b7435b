package io.spillway.core.settings;

import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Range of a numeric setting as its {@link Setting#allowed} declares it: {@code 1 to 100}, {@code 0, or 1.5 to 1000.0},
 * {@code 100ms to 5m} or {@code 1ms or more}.
 *
 * @param zero whether 0 is allowed as well
 * @param min  minimum; milliseconds for a duration
 * @param max  maximum; milliseconds for a duration, infinite for none
 */
public record AllowedRange(boolean zero, double min, double max) {
    private static final String VALUE = "(-?[\\d.]+|\\d+(?:ms|s|m|h|d))";
    private static final Pattern RANGE = Pattern.compile("(0, or )?" + VALUE + " (?:to " + VALUE + "|or more)");

    /** Parses a range; returns empty when the text is not a range. */
    public static Optional<AllowedRange> parse(String allowed) {
        Matcher matcher = RANGE.matcher(allowed);
        return matcher.matches()
                ? Optional.of(new AllowedRange(matcher.group(1) != null, number(matcher.group(2)),
                        matcher.group(3) == null ? Double.POSITIVE_INFINITY : number(matcher.group(3))))
                : Optional.empty();
    }

    /**
     * Checks the first component values of a settings record, in order, against their declared ranges.
     *
     * @throws InvalidSettingException for the first value out of its range
     */
    public static void check(Class<? extends Record> type, Object... values) {
        RecordComponent[] components = type.getRecordComponents();
        for (int i = 0; i < values.length; i++) {
            Setting setting = components[i].getAnnotation(Setting.class);
            Object value = values[i] instanceof Duration duration ? (Object) duration.toMillis() : values[i];
            if (setting != null && value instanceof Number number
                    && parse(setting.allowed()).filter(range -> !range.contains(number.doubleValue())).isPresent()) {
                String shown = value + (values[i] instanceof Duration ? "ms" : "");
                throw new InvalidSettingException(setting.key(), shown, "must be " + setting.allowed());
            }
        }
    }

    private boolean contains(double value) {
        return zero && value == 0 || value >= min && value <= max;
    }

    private static double number(String text) {
        boolean isDuration = Character.isLetter(text.charAt(text.length() - 1));
        return isDuration ? Durations.parseMillis(text) : Double.parseDouble(text);
    }
}
