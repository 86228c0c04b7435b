package io.spillway.config;

import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.PolicySettings;
import io.spillway.core.settings.Durations;
import io.spillway.core.settings.InvalidSettingException;
import io.spillway.core.settings.Setting;
import io.spillway.worker.handlers.HandlerSettings;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Binder of text values to the configuration records, by the {@link Setting} on each record component. */
final class SettingsBinder {
    private static final Map<Class<?>, Parser> PARSERS = Map.ofEntries(
            Map.entry(String.class, new Parser("text", text -> text)),
            Map.entry(int.class, new Parser("a whole number", SettingsBinder::integer)),
            Map.entry(long.class,
                    new Parser("a whole number of 64 bits", text -> Long.valueOf(text.replace("_", "")))),
            Map.entry(double.class, new Parser("a number", Double::valueOf)),
            Map.entry(boolean.class, new Parser("true or false", SettingsBinder::truth)),
            Map.entry(Duration.class, new Parser(
                    "a duration such as 250ms, 30s, 5m, 1h or 7d (" + Durations.UNITS_TEXT + ")",
                    text -> Duration.ofMillis(Durations.parseMillis(text)))),
            Map.entry(Optional.class, new Parser(
                    "none, or a duration such as 30s, 5m, 1h or 7d (" + Durations.UNITS_TEXT + ")",
                    SettingsBinder::optionalDuration)),
            Map.entry(List.class, new Parser("whole numbers with commas between them", SettingsBinder::integers)),
            Map.entry(OptionalInt.class, new Parser("a whole number",
                    text -> text.equals("none") ? OptionalInt.empty() : OptionalInt.of(integer(text)))),
            Map.entry(HandlerSettings.Type.class, choice(HandlerSettings.Type.class)),
            Map.entry(MetricsSettings.KafkaMetrics.class, choice(MetricsSettings.KafkaMetrics.class)));

    private final Map<String, String> values;

    SettingsBinder(Map<String, String> values) {
        this.values = values;
    }

    /** Parser of one Java type; throws {@link IllegalArgumentException} for invalid text. */
    private record Parser(String expected, Function<String, Object> read) {}

    private static <E extends Enum<E>> Parser choice(Class<E> type) {
        return new Parser("one of " + Arrays.toString(type.getEnumConstants()).toLowerCase(Locale.ROOT),
                text -> Enum.valueOf(type, text.toUpperCase(Locale.ROOT)));
    }

    /** Creates a record and its nested records. */
    <R> R bind(Class<R> type) {
        RecordComponent[] components = type.getRecordComponents();
        Class<?>[] types = Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new);
        Object[] arguments = Arrays.stream(components).map(this::argument).toArray();
        try {
            return type.getDeclaredConstructor(types).newInstance(arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause() instanceof InvalidSettingException invalid ? invalid : new IllegalStateException(e);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    private Object argument(RecordComponent component) {
        Class<?> type = component.getType();
        Setting setting = component.getAnnotation(Setting.class);
        if (setting == null) {
            return type == PolicySettings.class ? tenantDefaults() : bind(type);
        }
        if (type == Map.class) {
            return below(setting.key() + ".");
        }
        String text = values.getOrDefault(setting.key(), setting.defaultValue());
        Parser parser = PARSERS.get(type);
        try {
            return parser.read.apply(text);
        } catch (IllegalArgumentException e) {
            throw new InvalidSettingException(setting.key(), text, "must be " + parser.expected);
        }
    }

    private Map<String, String> below(String section) {
        return values.entrySet().stream().filter(entry -> entry.getKey().startsWith(section))
                .collect(Collectors.toMap(entry -> entry.getKey().substring(section.length()), Map.Entry::getValue));
    }

    private PolicySettings tenantDefaults() {
        PolicySettings settings = PolicySettings.NONE_SET;
        for (PolicyField field : PolicyField.values()) {
            String key = SettingDefinition.TENANT_DEFAULTS + field.key();
            String text = values.getOrDefault(key, "");
            try {
                settings = text.isEmpty() ? settings : settings.with(field, text);
            } catch (IllegalArgumentException e) {
                throw new InvalidSettingException(key, text, "must be " + field.allowed());
            }
        }
        return settings;
    }

    private static boolean truth(String text) {
        if (text.equals("true") || text.equals("false")) {
            return text.equals("true");
        }
        throw new IllegalArgumentException(text);
    }

    private static int integer(String text) {
        return Integer.parseInt(text.replace("_", ""));
    }

    /** Empty text is no value, and none is zero. */
    private static Optional<Duration> optionalDuration(String text) {
        return text.isEmpty() ? Optional.empty()
                : Optional.of(Duration.ofMillis(text.equals("none") ? 0 : Durations.parseMillis(text)));
    }

    private static List<Integer> integers(String text) {
        return text.isBlank() ? List.of()
                : Arrays.stream(text.split(",", -1)).map(String::strip).map(Integer::valueOf).toList();
    }
}
