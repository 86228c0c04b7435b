package io.spillway.core.policy;

import io.spillway.core.text.Printable;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Explicitly set fields of a policy. A field that is not set comes from the layer below: the tenant's own settings,
 * then those of {@code *}, then the configured defaults.
 *
 * @param values    valid stored values by field (see {@link PolicyField}); copied, never null
 * @param workloads limits of workloads by name, at most {@link TenantPolicy#MAX_WORKLOADS}; copied in the order of the
 *                  names, never null
 */
public record PolicySettings(Map<PolicyField, Object> values, Map<String, WorkloadPolicy> workloads) {
    /** No field is set. */
    public static final PolicySettings NONE_SET = new PolicySettings(Map.of());

    /** Product defaults, before any configuration: every field has a value. */
    public static final PolicySettings DEFAULTS = new PolicySettings(Arrays.stream(PolicyField.values())
            .collect(Collectors.toMap(Function.identity(), field -> field.parse(field.preset()))));

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
        if (workloads.size() > TenantPolicy.MAX_WORKLOADS) {
            throw new IllegalArgumentException(
                    "workloads = " + workloads.size() + ": must be at most " + TenantPolicy.MAX_WORKLOADS);
        }
        // Most policies have none, and two empty maps for each of a million tenants take 110 MB.
        workloads = workloads.isEmpty() ? Map.of() : Collections.unmodifiableSortedMap(new TreeMap<>(workloads));
    }

    /** Creates settings without limits of workloads. */
    public PolicySettings(Map<PolicyField, Object> values) {
        this(values, Map.of());
    }

    /** Returns the stored value of a field; empty when it is not set here. */
    public Optional<Object> get(PolicyField field) {
        return Optional.ofNullable(values.get(field));
    }

    /** Returns the values by {@link PolicyField#jsonKey}, in the order of the fields; null for none. */
    public Map<String, Object> json() {
        Map<String, Object> json = new LinkedHashMap<>();
        values.forEach((field, value) -> json.put(field.jsonKey(), field.jsonValue(value)));
        if (!workloads.isEmpty()) {
            Map<String, Object> limits = new LinkedHashMap<>();
            workloads.forEach((name, limit) -> limits.put(name, limit.json()));
            json.put("workloads", limits);
        }
        return json;
    }

    /** Returns the settings as {@code key=value}, separated by spaces, in the form in which they are set. */
    public String inOneLine() {
        Stream<String> limits = workloads.entrySet().stream()
                .map(workload -> "workload " + workload.getKey() + ": " + workload.getValue().format());
        Stream<String> fields = values.entrySet().stream()
                .map(setting -> setting.getKey().key() + "=" + setting.getKey().format(setting.getValue()));
        String text = Stream.concat(fields, limits).collect(Collectors.joining(" "));
        return text.isEmpty() ? "nothing set" : text;
    }

    /** Returns a copy with one field set from text; throws as {@link PolicyField#parse} does. */
    public PolicySettings with(PolicyField field, String text) {
        Map<PolicyField, Object> copy = new HashMap<>(values);
        copy.put(field, field.parse(text));
        return new PolicySettings(copy, workloads);
    }

    /** Returns a copy without the field. */
    public PolicySettings without(PolicyField field) {
        Map<PolicyField, Object> copy = new HashMap<>(values);
        copy.remove(field);
        return new PolicySettings(copy, workloads);
    }

    /**
     * Returns a copy with these limits of a workload, which come before those of the layers below. Throws
     * {@link IllegalArgumentException} when there are too many, with the most in the message.
     */
    public PolicySettings withWorkload(String name, WorkloadPolicy limits) {
        Map<String, WorkloadPolicy> copy = new HashMap<>(workloads);
        copy.put(name, limits);
        return new PolicySettings(values, copy);
    }

    /** Returns a copy without limits of the workload. */
    public PolicySettings withoutWorkload(String name) {
        Map<String, WorkloadPolicy> copy = new HashMap<>(workloads);
        copy.remove(name);
        return new PolicySettings(values, copy);
    }

    /**
     * Returns a copy with unset fields filled from the layer below, and the workloads that it does not name. Of more
     * than {@link TenantPolicy#MAX_WORKLOADS} together, the last ones below are left out.
     */
    public PolicySettings over(PolicySettings below) {
        Map<PolicyField, Object> merged = new HashMap<>(below.values);
        merged.putAll(values);
        if (below.workloads.isEmpty()) {
            return new PolicySettings(merged, workloads);
        }
        Map<String, WorkloadPolicy> limits = new HashMap<>(workloads);
        below.workloads.forEach((name, limit) -> {
            if (limits.size() < TenantPolicy.MAX_WORKLOADS) {
                limits.putIfAbsent(name, limit);
            }
        });
        return new PolicySettings(merged, limits);
    }
}
