package io.spillway.core.policy;

import io.spillway.core.item.Printable;
import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;

/**
 * The settings of a policy that somebody has set; what is not in it is decided a layer below: the tenant's own
 * settings over those of {@code *} over the configured defaults.
 *
 * @param values valid stored values by setting (see {@link PolicyField}); copied, never null
 */
public record PolicySettings(Map<PolicyField, Object> values) {
    /** Nothing is set. */
    public static final PolicySettings NONE_SET = new PolicySettings(Map.of());

    /** The defaults of the product, before any configuration: every setting has a value. */
    public static final PolicySettings DEFAULTS = NONE_SET
            .with(PolicyField.RATE, "none")
            .with(PolicyField.BURST, "none")
            .with(PolicyField.CONCURRENCY, "none")
            .with(PolicyField.AGED_AFTER, "5m")
            .with(PolicyField.TTL, "none")
            .with(PolicyField.SWEEPABLE, "false")
            .with(PolicyField.ATTEMPTS, "5")
            .with(PolicyField.BACKOFF_BASE, "1s")
            .with(PolicyField.BACKOFF_CAP, "5m")
            .with(PolicyField.JITTER, "full")
            .with(PolicyField.TIMEOUT, "30s")
            .with(PolicyField.WEIGHT, "1")
            .with(PolicyField.SHARD_SIZE, "4")
            .with(PolicyField.DEDICATED, "0")
            .with(PolicyField.BACK_PRESSURE, "shed")
            .with(PolicyField.MAX_DEPTH, "none")
            .with(PolicyField.GROWTH, "none")
            .with(PolicyField.GROWTH_FLOOR, "10")
            .with(PolicyField.GROWTH_CEILING, "none")
            .with(PolicyField.GROWTH_PER_DAY, "1.5");

    public PolicySettings {
        EnumMap<PolicyField, Object> copy = new EnumMap<>(PolicyField.class);
        values.forEach((field, value) -> {
            if (!field.isValid(value)) {
                throw new IllegalArgumentException(
                        field.key() + " = " + Printable.of(String.valueOf(value)) + ": must be " + field.allowed());
            }
            copy.put(field, value);
        });
        values = Collections.unmodifiableMap(copy);
    }

    /** The stored value of a setting, empty when it is not set here. */
    public Optional<Object> get(PolicyField field) {
        return Optional.ofNullable(values.get(field));
    }

    /**
     * These settings with one more, read from text.
     *
     * @throws IllegalArgumentException when the text is not allowed for the setting
     */
    public PolicySettings with(PolicyField field, String text) {
        EnumMap<PolicyField, Object> copy = copyOf(values);
        copy.put(field, field.parse(text));
        return new PolicySettings(copy);
    }

    /** These settings with one not set here any more. */
    public PolicySettings without(PolicyField field) {
        EnumMap<PolicyField, Object> copy = copyOf(values);
        copy.remove(field);
        return new PolicySettings(copy);
    }

    /** These settings, and from the layer below whatever is not set here. */
    public PolicySettings over(PolicySettings below) {
        EnumMap<PolicyField, Object> merged = copyOf(below.values);
        merged.putAll(values);
        return new PolicySettings(merged);
    }

    private static EnumMap<PolicyField, Object> copyOf(Map<PolicyField, Object> values) {
        EnumMap<PolicyField, Object> copy = new EnumMap<>(PolicyField.class);
        copy.putAll(values);
        return copy;
    }
}
