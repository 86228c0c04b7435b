package io.spillway.cli.tenants;

import io.spillway.core.policy.PolicyField;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Change of one tenant's stored policy settings, or of a subscription.
 *
 * @param key    tenant or {@code *}, or the key of a subscription
 * @param before what is stored; empty for nothing
 * @param after  what to store; empty to remove it. Not equal to {@code before}
 */
record PolicyChange(String key, Optional<PolicyEntry> before, Optional<PolicyEntry> after) {
    private static final String UNSET = "unset";

    /** Kind of a change, in the words of the command's output. */
    enum Kind { ADDED, CHANGED, REMOVED }

    /**
     * One field of a change.
     *
     * @param name key of the field, or {@code workload NAME}
     * @param from text of the stored value, or {@code unset}
     * @param to   text of the value to store, or {@code unset}
     */
    record Field(String name, String from, String to) {}

    /**
     * Returns the changes that make the stored settings equal to those of a file, in the order of the keys.
     *
     * @param removesOthers whether what is not in the file is removed
     */
    static List<PolicyChange> between(
            SortedMap<String, PolicyEntry> stored, SortedMap<String, PolicyEntry> file, boolean removesOthers) {
        TreeSet<String> keys = new TreeSet<>(file.keySet());
        if (removesOthers) {
            keys.addAll(stored.keySet());
        }
        return keys.stream()
                .map(key -> new PolicyChange(
                        key, Optional.ofNullable(stored.get(key)), Optional.ofNullable(file.get(key))))
                .filter(change -> !change.before.equals(change.after))
                .toList();
    }

    Kind kind() {
        return before.isEmpty() ? Kind.ADDED : after.isEmpty() ? Kind.REMOVED : Kind.CHANGED;
    }

    /** Returns whether the number of dedicated partitions differs. */
    boolean isDedication() {
        return !before.flatMap(own -> own.settings().get(PolicyField.DEDICATED))
                .equals(after.flatMap(own -> own.settings().get(PolicyField.DEDICATED)));
    }

    /** Returns the fields and workloads that differ, fields first. */
    List<Field> fields() {
        Map<String, String> from = texts(before);
        Map<String, String> to = texts(after);
        List<String> names = new ArrayList<>();
        for (PolicyField field : PolicyField.values()) {
            names.add(field.key());
        }
        TreeSet<String> workloads = new TreeSet<>(from.keySet());
        workloads.addAll(to.keySet());
        names.forEach(workloads::remove);
        names.addAll(workloads);
        return names.stream()
                .map(name -> new Field(name, from.getOrDefault(name, UNSET), to.getOrDefault(name, UNSET)))
                .filter(field -> !field.from.equals(field.to))
                .toList();
    }

    /** Returns the change in one line: {@code +} for added, {@code ~} for changed, {@code -} for removed settings. */
    String line() {
        return switch (kind()) {
            case ADDED -> "+ " + key + ": " + after.orElseThrow().inOneLine();
            case REMOVED -> "- " + key + ": " + before.orElseThrow().inOneLine();
            case CHANGED -> "~ " + key + ": " + fields().stream()
                    .map(field -> field.name + " (" + field.from + " -> " + field.to + ")")
                    .collect(Collectors.joining(", "));
        };
    }

    private static Map<String, String> texts(Optional<PolicyEntry> entry) {
        Map<String, String> texts = new LinkedHashMap<>();
        entry.map(PolicyEntry::settings).ifPresent(own -> {
            own.values().forEach((field, value) -> texts.put(field.key(), field.format(value)));
            own.workloads().forEach((name, limits) -> texts.put("workload " + name, limits.format()));
        });
        entry.flatMap(PolicyEntry::subscription).ifPresent(own -> texts.put(PoliciesFile.WORKLOADS, own.pattern()));
        return texts;
    }
}
