package io.spillway.core.policy;

import io.spillway.core.settings.Durations;
import io.spillway.core.settings.InvalidSettingException;
import io.spillway.core.settings.Numbers;
import io.spillway.core.settings.Setting;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Binder of text values to records of settings, by the {@link Setting} on each record component. A component of type
 * {@link PolicySettings} gets the defaults of tenants, and any other without a {@link Setting} is a nested record.
 *
 * <p>Not thread-safe. Bound: the values.
 */
public final class SettingsBinder {
    /** Start of the keys of the tenants' defaults. */
    public static final String TENANT_DEFAULTS = "defaults.";

    private static final Map<Class<?>, Parser> PARSERS = Map.ofEntries(
            Map.entry(String.class, new Parser("text", text -> text)),
            Map.entry(int.class, new Parser("a whole number", SettingsBinder::integer)),
            Map.entry(long.class, new Parser("a whole number of 64 bits", Numbers::whole)),
            Map.entry(double.class, new Parser("a number", Numbers::decimal)),
            Map.entry(boolean.class, new Parser("true or false", SettingsBinder::truth)),
            Map.entry(Duration.class, new Parser(
                    "a duration such as 250ms, 30s, 5m, 1h or 7d (" + Durations.UNITS_TEXT + ")",
                    text -> Duration.ofMillis(Durations.parseMillis(text)))),
            Map.entry(Optional.class, new Parser(
                    "none, or a duration such as 30s, 5m, 1h or 7d (" + Durations.UNITS_TEXT + ")",
                    SettingsBinder::optionalDuration)),
            Map.entry(List.class, new Parser("whole numbers with commas between them", SettingsBinder::integers)),
            Map.entry(OptionalInt.class, new Parser("a whole number",
                    text -> text.equals("none") ? OptionalInt.empty() : OptionalInt.of(integer(text)))));

    private final Map<String, String> values;
    private final Set<String> unused;

    /**
     * Creates a binder of these values.
     *
     * @param values by key; a setting without a value has its declared default
     */
    public SettingsBinder(Map<String, String> values) {
        this.values = values;
        this.unused = new TreeSet<>(values.keySet());
    }

    /** Parser of one Java type; throws {@link IllegalArgumentException} for invalid text. */
    private record Parser(String expected, Function<String, Object> read) {}

    private static Parser choice(Class<?> type) {
        return new Parser("one of " + Arrays.toString(type.getEnumConstants()).toLowerCase(Locale.ROOT),
                text -> Arrays.stream(type.getEnumConstants())
                        .filter(constant -> ((Enum<?>) constant).name().equals(text.toUpperCase(Locale.ROOT)))
                        .findFirst().orElseThrow(() -> new IllegalArgumentException(text)));
    }

    /**
     * Creates a record and its nested records.
     *
     * @throws InvalidSettingException for a value that is not allowed
     */
    public <R extends Record> R bind(Class<R> type) {
        RecordComponent[] components = type.getRecordComponents();
        Class<?>[] types = Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new);
        Object[] arguments = Arrays.stream(components).map(this::argument).toArray();
        try {
            Constructor<R> constructor = type.getDeclaredConstructor(types);
            // The record of another package need not be public.
            constructor.setAccessible(true);
            return constructor.newInstance(arguments);
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
            return type == PolicySettings.class ? tenantDefaults() : bind(type.asSubclass(Record.class));
        }
        if (type == Map.class) {
            return below(setting.key() + ".");
        }
        String text = value(setting.key(), setting.defaultValue());
        Parser parser = type.isEnum() ? choice(type) : PARSERS.get(type);
        try {
            return parser.read.apply(text);
        } catch (IllegalArgumentException e) {
            throw new InvalidSettingException(setting.key(), text, "must be " + parser.expected + Numbers.hint(text));
        }
    }

    /** Returns the keys of the values that no bound record has; a view in the order of the keys. */
    public Set<String> unused() {
        return Collections.unmodifiableSet(unused);
    }

    private String value(String key, String otherwise) {
        unused.remove(key);
        return values.getOrDefault(key, otherwise);
    }

    private Map<String, String> below(String section) {
        unused.removeIf(key -> key.startsWith(section));
        return values.entrySet().stream().filter(entry -> entry.getKey().startsWith(section))
                .collect(Collectors.toMap(entry -> entry.getKey().substring(section.length()), Map.Entry::getValue));
    }

    private PolicySettings tenantDefaults() {
        PolicySettings settings = PolicySettings.NONE_SET;
        for (PolicyField field : PolicyField.values()) {
            String key = TENANT_DEFAULTS + field.key();
            String text = value(key, "");
            try {
                settings = text.isEmpty() ? settings : settings.with(field, text);
            } catch (IllegalArgumentException e) {
                throw new InvalidSettingException(key, text, "must be " + field.allowed() + Numbers.hint(text));
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
        long number = Numbers.whole(text);
        if (number != (int) number) {
            throw new IllegalArgumentException(text);
        }
        return (int) number;
    }

    /** Empty text is no value, and none is zero. */
    private static Optional<Duration> optionalDuration(String text) {
        return text.isEmpty() ? Optional.empty()
                : Optional.of(Duration.ofMillis(text.equals("none") ? 0 : Durations.parseMillis(text)));
    }

    private static List<Integer> integers(String text) {
        return text.isBlank() ? List.of()
                : Arrays.stream(text.split(",", -1)).map(String::strip).map(SettingsBinder::integer).toList();
    }
}
