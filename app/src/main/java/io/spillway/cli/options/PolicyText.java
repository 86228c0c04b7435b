package io.spillway.cli.options;

import io.spillway.core.policy.PolicySettings;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;

/** Policy settings as text, in the form in which they are set. */
public final class PolicyText {
    private PolicyText() {}

    /** Returns the settings by key, in the order of the fields. */
    public static Map<String, String> textOf(PolicySettings settings) {
        Map<String, String> text = new LinkedHashMap<>();
        settings.values().forEach((field, value) -> text.put(field.key(), field.format(value)));
        return text;
    }

    /** Returns the settings as {@code key=value}, separated by spaces. */
    public static String inOneLine(PolicySettings settings) {
        return settings.values().isEmpty() ? "nothing set"
                : textOf(settings).entrySet().stream().map(Map.Entry::toString).collect(Collectors.joining(" "));
    }
}
