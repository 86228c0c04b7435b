package io.spillway.config;

import io.spillway.policy.PolicyField;
import io.spillway.policy.PolicySettings;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * One known setting: what may be written under its key.
 *
 * @param key          in the configuration file; of a map, without the key of an entry
 * @param type         in words, for example {@code duration} or {@code whole number, bytes}
 * @param isMap        whether any key below it is allowed
 * @param defaultValue as an operator would write it, or in words; empty for none
 * @param allowed      allowed values; empty where the type says it all
 * @param doc          what it does, in one sentence
 */
record SettingDefinition(String key, String type, boolean isMap, String defaultValue, String allowed, String doc) {
    /** All settings, in the order of their declarations. */
    static final List<SettingDefinition> ALL = of(Configuration.class).toList();

    static final String TENANT_DEFAULTS = "defaults.";

    private static Stream<SettingDefinition> of(Class<?> type) {
        return type == PolicySettings.class
                ? Arrays.stream(PolicyField.values()).map(SettingDefinition::ofTenants)
                : Arrays.stream(type.getRecordComponents()).flatMap(SettingDefinition::of);
    }

    private static Stream<SettingDefinition> of(RecordComponent component) {
        Setting setting = component.getAnnotation(Setting.class);
        if (setting == null) {
            return of(component.getType());
        }
        SettingType type = SettingType.of(component.getType());
        return Stream.of(new SettingDefinition(
                setting.key(),
                type.label() + (setting.unit().isEmpty() ? "" : ", " + setting.unit()),
                component.getType() == Map.class,
                setting.defaultNote().isEmpty() ? setting.defaultValue() : setting.defaultNote(),
                setting.allowed(),
                setting.doc()));
    }

    private static SettingDefinition ofTenants(PolicyField field) {
        String type = switch (field.type()) {
            case NUMBER -> "number";
            case COUNT -> "whole number";
            case DURATION -> "duration";
            case FLAG -> "flag";
            case CHOICE -> "choice";
        };
        return new SettingDefinition(TENANT_DEFAULTS + field.key(), type, false,
                field.format(PolicySettings.DEFAULTS.values().get(field)), field.allowed(), field.help());
    }

    /** Whether the key is the beginning of known keys, and so cannot have a value itself. */
    static boolean isSection(String path) {
        return ALL.stream().anyMatch(each -> each.key.startsWith(path + ".") || each.isMap && each.key.equals(path));
    }

    /** Whether a value may be set under the key. */
    static boolean isKnown(String path) {
        return ALL.stream().anyMatch(each -> each.isMap
                ? path.startsWith(each.key + ".") && path.length() > each.key.length() + 1
                : each.key.equals(path));
    }
}
