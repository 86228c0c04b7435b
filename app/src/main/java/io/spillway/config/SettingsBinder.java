package io.spillway.config;

import io.spillway.policy.PolicyField;
import io.spillway.policy.PolicySettings;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;

/** Makes the configuration's records of values by key, as the {@link Setting} on each of their components declares it. */
final class SettingsBinder {
    private final Map<String, String> values;

    SettingsBinder(Map<String, String> values) {
        this.values = values;
    }

    /** Makes a record, and those that it is made of. */
    <R> R bind(Class<R> type) {
        RecordComponent[] components = type.getRecordComponents();
        Class<?>[] types = Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new);
        Object[] arguments = Arrays.stream(components).map(this::argument).toArray();
        try {
            return type.getDeclaredConstructor(types).newInstance(arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause() instanceof InvalidSettingException invalid ? invalid : new IllegalStateException(e.getCause());
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    private Object argument(RecordComponent component) {
        Setting setting = component.getAnnotation(Setting.class);
        if (setting == null) {
            return component.getType() == PolicySettings.class ? tenantDefaults() : bind(component.getType());
        }
        return component.getType() == Map.class
                ? below(setting.key() + ".")
                : SettingType.of(component.getType())
                        .parse(setting.key(), values.getOrDefault(setting.key(), setting.defaultValue()));
    }

    private Map<String, String> below(String section) {
        Map<String, String> below = new TreeMap<>();
        values.forEach((key, value) -> {
            if (key.startsWith(section)) {
                below.put(key.substring(section.length()), value);
            }
        });
        return below;
    }

    private PolicySettings tenantDefaults() {
        PolicySettings settings = PolicySettings.NONE_SET;
        for (PolicyField field : PolicyField.values()) {
            String key = SettingDefinition.TENANT_DEFAULTS + field.key();
            String text = values.getOrDefault(key, "");
            if (!text.isEmpty()) {
                try {
                    settings = settings.with(field, text);
                } catch (IllegalArgumentException e) {
                    throw new InvalidSettingException(key, text, "must be " + field.allowed());
                }
            }
        }
        return settings;
    }
}
