package io.spillway.core.policy;

import io.spillway.core.item.Printable;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Explicitly set fields of a policy. A field that is not set comes from the layer below: the tenant's own settings,
 * then those of {@code *}, then the configured defaults.
 *
 * @param values valid stored values by field (see {@link PolicyField}); copied, never null
 */
public record PolicySettings(Map<PolicyField, Object> values) {
    /** No field is set. */
    public static final PolicySettings NONE_SET = new PolicySettings(Map.of());

    /** Product defaults, before any configuration: every field has a value. */
    public static final PolicySettings DEFAULTS = NONE_SET
            .with(PolicyField.RATE, "none")
            .with(PolicyField.BURST, "none")
            .with(PolicyField.ADMISSION_RATE, "none")
            .with(PolicyField.ADMISSION_BURST, "none")
            .with(PolicyField.CONCURRENCY, "none")
            .with(PolicyField.AGED_AFTER, "5m")
            .with(PolicyField.TTL, "none")
            .with(PolicyField.SWEEPABLE, "false")
            .with(PolicyField.SWEEP_MARGIN, "1m")
            .with(PolicyField.ATTEMPTS, "5")
            .with(PolicyField.RETRY_FOR, "6h")
            .with(PolicyField.EXPIRE_AFTER, "14d")
            .with(PolicyField.RETRY_TOKENS, "16")
            .with(PolicyField.RETRY_EARNED, "1")
            .with(PolicyField.BACKOFF_BASE, "1s")
            .with(PolicyField.BACKOFF_CAP, "5m")
            .with(PolicyField.JITTER, "full")
            .with(PolicyField.TIMEOUT, "30s")
            .with(PolicyField.TIMEOUT_MIN, "1s")
            .with(PolicyField.TIMEOUT_MAX, "10m")
            .with(PolicyField.WEIGHT, "1")
            .with(PolicyField.SHARD_SIZE, "4")
            .with(PolicyField.DEDICATED, "0")
            .with(PolicyField.BACK_PRESSURE, "shed")
            .with(PolicyField.MAX_DRAIN, "1h")
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

    /** Returns the stored value of a field; empty when it is not set here. */
    public Optional<Object> get(PolicyField field) {
        return Optional.ofNullable(values.get(field));
    }

    /** Returns the values by {@link PolicyField#jsonKey}, in the order of the fields; null for none. */
    public Map<String, Object> json() {
        Map<String, Object> json = new LinkedHashMap<>();
        values.forEach((field, value) -> json.put(field.jsonKey(), field.jsonValue(value)));
        return json;
    }

    /** Returns a copy with one field set from text; throws as {@link PolicyField#parse} does. */
    public PolicySettings with(PolicyField field, String text) {
        Map<PolicyField, Object> copy = new HashMap<>(values);
        copy.put(field, field.parse(text));
        return new PolicySettings(copy);
    }

    /** Returns a copy without the field. */
    public PolicySettings without(PolicyField field) {
        Map<PolicyField, Object> copy = new HashMap<>(values);
        copy.remove(field);
        return new PolicySettings(copy);
    }

    /** Returns a copy with unset fields filled from the layer below. */
    public PolicySettings over(PolicySettings below) {
        Map<PolicyField, Object> merged = new HashMap<>(below.values);
        merged.putAll(values);
        return new PolicySettings(merged);
    }
}
