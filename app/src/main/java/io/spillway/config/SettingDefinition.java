package io.spillway.config;

import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.PolicySettings;
import io.spillway.core.policy.SettingsBinder;
import io.spillway.core.settings.Setting;
import io.spillway.worker.handlers.HandlerSettings;
import io.spillway.worker.handlers.HandlerTypes;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Definition of one setting.
 *
 * @param key         key in the configuration file; of a map, without the key of an entry
 * @param type        Java type of the value; {@link PolicyField} for a policy field
 * @param declaration description and allowed values; empty for a policy field, which {@link PolicyField} describes
 */
record SettingDefinition(String key, Class<?> type, Optional<Setting> declaration) {
    /** All settings, in the order of their declarations. */
    static final List<SettingDefinition> ALL = of(Configuration.class).toList();

    private static Stream<SettingDefinition> of(Class<?> type) {
        if (type == HandlerSettings.class) {
            return Stream.concat(of(type.getRecordComponents()[0]),
                    HandlerTypes.INSTALLED.settings().stream().flatMap(recordType -> of(recordType)));
        }
        return type == PolicySettings.class
                ? Arrays.stream(PolicyField.values()).map(field -> new SettingDefinition(
                        SettingsBinder.TENANT_DEFAULTS + field.key(), PolicyField.class, Optional.empty()))
                : Arrays.stream(type.getRecordComponents()).flatMap(SettingDefinition::of);
    }

    private static Stream<SettingDefinition> of(RecordComponent component) {
        Setting setting = component.getAnnotation(Setting.class);
        return setting == null ? of(component.getType())
                : Stream.of(new SettingDefinition(setting.key(), component.getType(), Optional.of(setting)));
    }

    /** Returns whether any key below this one is allowed. */
    boolean isMap() {
        return type == Map.class;
    }

    /** Returns whether a path is a section, which contains settings and has no value itself. */
    static boolean isSection(String path) {
        return ALL.stream().anyMatch(setting -> setting.key.startsWith(path + ".")
                || setting.isMap() && setting.key.equals(path));
    }

    /** Returns whether a path is the key of a setting or of a map's entry. */
    static boolean isKnown(String path) {
        return isEntry(path) || ALL.stream().anyMatch(setting -> !setting.isMap() && setting.key.equals(path));
    }

    /** Returns whether a path is the key of a map's entry. */
    static boolean isEntry(String path) {
        return ALL.stream().anyMatch(setting -> setting.isMap()
                && path.startsWith(setting.key + ".") && path.length() > setting.key.length() + 1);
    }
}
