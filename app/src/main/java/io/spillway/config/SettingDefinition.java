package io.spillway.config;

import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.PolicySettings;
import io.spillway.core.settings.Setting;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * One known setting.
 *
 * @param key         in the configuration file; of a map, without the key of an entry
 * @param type        Java type of its value; {@link PolicyField} for a tenant setting
 * @param declaration what it does and what is allowed; empty for a tenant setting, which {@link PolicyField} describes
 */
record SettingDefinition(String key, Class<?> type, Optional<Setting> declaration) {
    static final String TENANT_DEFAULTS = "defaults.";

    /** All settings, in the order of their declarations. */
    static final List<SettingDefinition> ALL = of(Configuration.class).toList();

    private static Stream<SettingDefinition> of(Class<?> type) {
        return type == PolicySettings.class
                ? Arrays.stream(PolicyField.values()).map(field ->
                        new SettingDefinition(TENANT_DEFAULTS + field.key(), PolicyField.class, Optional.empty()))
                : Arrays.stream(type.getRecordComponents()).flatMap(SettingDefinition::of);
    }

    private static Stream<SettingDefinition> of(RecordComponent component) {
        Setting setting = component.getAnnotation(Setting.class);
        return setting == null
                ? of(component.getType())
                : Stream.of(new SettingDefinition(setting.key(), component.getType(), Optional.of(setting)));
    }

    /** Whether any key below it is allowed. */
    boolean isMap() {
        return type == Map.class;
    }

    /** Whether the key is the beginning of known keys, and so cannot have a value itself. */
    static boolean isSection(String path) {
        return ALL.stream().anyMatch(each -> each.key.startsWith(path + ".") || each.isMap() && each.key.equals(path));
    }

    /** Whether a value may be set under the key. */
    static boolean isKnown(String path) {
        return ALL.stream().anyMatch(each -> each.isMap()
                ? path.startsWith(each.key + ".") && path.length() > each.key.length() + 1
                : each.key.equals(path));
    }
}
