package io.spillway.worker.handlers;

import io.spillway.core.policy.SettingsBinder;
import io.spillway.core.settings.Setting;
import io.spillway.handler.Handler;
import io.spillway.handler.HandlerContext;
import io.spillway.handler.HandlerType;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * Handler type of the worker with its settings, which are valid.
 *
 * @param values texts of all settings below {@code handler}, by the rest of their keys; those of other types are not
 *               checked
 */
public record HandlerSettings(
        @Setting(key = "handler.type", defaultValue = "log", allowed = "a type of [handlers.md](handlers.md)",
                doc = "Handler that processes the items. A key below that names another type has no effect.")
                String type,
        @Setting(key = HandlerSettings.SECTION, doc = "Settings of the types.") Map<String, String> values) {
    private static final String SECTION = "handler";

    public HandlerSettings {
        values = Map.copyOf(values);
        bound(HandlerTypes.INSTALLED.of(type), values);
    }

    private static <S extends Record> S bound(HandlerType<S> type, Map<String, String> values) {
        Map<String, String> byKey = new TreeMap<>();
        values.forEach((key, value) -> byKey.put(SECTION + "." + key, value));
        return new SettingsBinder(byKey).bind(type.settings());
    }

    /** Returns the settings of the type if they are of this class. */
    public <S extends Record> Optional<S> of(Class<S> settings) {
        return Optional.of(settings()).filter(settings::isInstance).map(settings::cast);
    }

    /** Returns the topics that the handler produces to. */
    public Set<String> topics() {
        return handlerType().topics(settings());
    }

    /** Checks what the type checks without a cluster. */
    public void check(HandlerContext context) {
        handlerType().check(settings(), context);
    }

    /** Checks the settings and creates the handler. */
    public Handler create(HandlerContext context) {
        check(context);
        return handlerType().create(settings(), context);
    }

    private Record settings() {
        return bound(handlerType(), values);
    }

    /** Its settings are bound as the record that it names. */
    @SuppressWarnings("unchecked")
    private HandlerType<Record> handlerType() {
        return (HandlerType<Record>) HandlerTypes.INSTALLED.of(type);
    }

    /** Returns a text without values, which may be secret. */
    @Override
    public String toString() {
        return "HandlerSettings[" + type + ", " + values.keySet() + "]";
    }
}
