package io.spillway.worker.handlers;

import io.spillway.core.settings.InvalidSettingException;
import io.spillway.core.settings.Setting;
import io.spillway.core.text.Printable;
import io.spillway.handler.HandlerType;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Handler types of the class path. Immutable. */
public final class HandlerTypes {
    /** Those that this class's loader finds. */
    public static final HandlerTypes INSTALLED = in(HandlerTypes.class.getClassLoader());

    private final SortedMap<String, HandlerType<?>> byName = new TreeMap<>();
    /** Shown only where a type is not found, because a broken one must not stop those that do not use it. */
    private final List<String> problems = new ArrayList<>();

    private HandlerTypes() {}

    static HandlerTypes in(ClassLoader loader) {
        HandlerTypes found = new HandlerTypes();
        Iterator<?> types = ServiceLoader.load(HandlerType.class, loader).iterator();
        while (true) {
            try {
                if (!types.hasNext()) {
                    return found;
                }
                found.add((HandlerType<?>) types.next());
            } catch (ServiceConfigurationError | RuntimeException | LinkageError e) {
                found.problems.add(Printable.of(String.valueOf(e.getMessage())));
            }
        }
    }

    private void add(HandlerType<?> type) {
        String own = "handler." + type.name();
        boolean areOwn = keys(type.settings()).allMatch(key -> key.equals(own) || key.startsWith(own + "."));
        if (!type.name().matches("[a-z][a-z0-9-]*") || !areOwn || byName.putIfAbsent(type.name(), type) != null) {
            problems.add(type.getClass().getName() + ": its name must be its own, of a-z 0-9 -, and its settings must"
                    + " have keys that begin with " + Printable.of(own));
        }
    }

    private static Stream<String> keys(Class<?> record) {
        return Arrays.stream(record.getRecordComponents()).flatMap(HandlerTypes::keys);
    }

    private static Stream<String> keys(RecordComponent component) {
        Setting setting = component.getAnnotation(Setting.class);
        return setting == null ? keys(component.getType()) : Stream.of(setting.key());
    }

    /** Returns the records of the settings of all types, in the order of the types' names. */
    public List<Class<?>> settings() {
        return byName.values().stream().<Class<?>>map(HandlerType::settings).toList();
    }

    /** Returns the type with this name in any case; throws {@link InvalidSettingException} if there is none. */
    HandlerType<?> of(String name) {
        HandlerType<?> type = byName.get(name.toLowerCase(Locale.ROOT));
        if (type == null) {
            throw new InvalidSettingException("handler.type", name, "must be one of " + byName.keySet()
                    + (problems.isEmpty() ? "" : ". Not loaded: " + String.join("; ", problems)));
        }
        return type;
    }
}
