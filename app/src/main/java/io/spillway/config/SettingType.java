package io.spillway.config;

import io.spillway.policy.Durations;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalInt;
import java.util.function.Function;

/**
 * Text form of one Java type that a setting can have.
 *
 * @param label    for the reference page
 * @param expected what an error says is allowed
 * @param parser   reads it; throws an {@link IllegalArgumentException} for other text
 */
record SettingType(String label, String expected, Function<String, Object> parser) {
    private static final Map<Class<?>, SettingType> TYPES = Map.of(
            String.class, new SettingType("text", "text", text -> text),
            Map.class, new SettingType("map of text", "a map of settings", text -> Map.of()),
            int.class, new SettingType("whole number", "a whole number", SettingType::integer),
            long.class, new SettingType("whole number", "a whole number of 64 bits", text -> Long.valueOf(text.replace("_", ""))),
            double.class, new SettingType("number", "a number", Double::valueOf),
            Duration.class, new SettingType("duration", "a duration such as 250ms, 30s, 5m, 1h or 7d",
                    text -> Duration.ofMillis(Durations.parseMillis(text))),
            List.class, new SettingType("list of whole numbers", "whole numbers with commas between them", SettingType::integers),
            OptionalInt.class, new SettingType("whole number", "a whole number",
                    text -> text.equals("none") ? OptionalInt.empty() : OptionalInt.of(integer(text))),
            HandlerSettings.Type.class, new SettingType("choice",
                    "one of " + Arrays.toString(HandlerSettings.Type.values()).toLowerCase(Locale.ROOT),
                    text -> HandlerSettings.Type.valueOf(text.toUpperCase(Locale.ROOT))));

    static SettingType of(Class<?> type) {
        return TYPES.get(type);
    }

    /**
     * Reads a value.
     *
     * @throws InvalidSettingException when the text is not one of this type
     */
    Object parse(String key, String text) {
        try {
            return parser.apply(text);
        } catch (IllegalArgumentException e) {
            throw new InvalidSettingException(key, text, "must be " + expected);
        }
    }

    private static int integer(String text) {
        return Integer.parseInt(text.replace("_", ""));
    }

    private static List<Integer> integers(String text) {
        return text.isBlank() ? List.of() : Arrays.stream(text.split(",", -1)).map(String::strip).map(Integer::valueOf).toList();
    }
}
