package io.spillway.cli.tenants;

import com.fasterxml.jackson.databind.JsonNode;
import io.spillway.config.YamlDocument;
import io.spillway.core.item.ItemLimits;
import io.spillway.core.item.Printable;
import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.PolicySettings;
import io.spillway.core.policy.WorkloadPolicy;
import io.spillway.core.settings.InvalidSettingException;
import io.spillway.core.settings.Numbers;
import io.spillway.kafka.topics.Topics;
import io.spillway.kafka.view.TenantPolicies;
import io.spillway.kafka.view.ViewContent;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * YAML file with the whole policy settings of tenants, by tenant: the keys are those of the configuration, and
 * {@code workloads} has the limits of workloads, by workload.
 */
final class PoliciesFile {
    private static final String TENANTS = "tenants";
    private static final String WORKLOADS = "workloads";
    private static final Path STANDARD_INPUT = Path.of("-");
    /** A hundred thousand tenants with a few settings each. */
    private static final int MAX_BYTES = 16 * 1024 * 1024;

    private final String name;

    private PoliciesFile(String name) {
        this.name = name;
    }

    /** Returns the topics of commands about policies. */
    static List<String> topics(Topics topics) {
        return List.of(topics.policies());
    }

    /** Returns a copy of the stored settings by tenant, and of {@code *}; other keys of the topic have no effect. */
    static SortedMap<String, PolicySettings> tenants(TenantPolicies policies) {
        SortedMap<String, PolicySettings> stored = new TreeMap<>(policies.all());
        stored.keySet().removeIf(key -> !isTenant(key));
        return stored;
    }

    private static boolean isTenant(String key) {
        return key.equals(ViewContent.ALL_TENANTS) || ItemLimits.isName(key);
    }

    /**
     * Reads settings by tenant.
     *
     * @param file {@code -} for standard input
     * @throws InvalidSettingException with the file, and the line or the path of the key
     */
    static SortedMap<String, PolicySettings> read(Path file) {
        boolean isStandardInput = file.equals(STANDARD_INPUT);
        String name = isStandardInput ? "standard input" : Printable.of(file.toString());
        try (InputStream in = isStandardInput ? System.in : Files.newInputStream(file)) {
            return new PoliciesFile(name).tenants(YamlDocument.parse(name, in, MAX_BYTES));
        } catch (IOException e) {
            throw new InvalidSettingException(name + ": cannot be read: " + YamlDocument.problemOf(e));
        }
    }

    /** Returns the settings as YAML that {@link #read} reads. */
    static String yaml(SortedMap<String, PolicySettings> settings) {
        StringBuilder text = new StringBuilder(TENANTS + ":" + (settings.isEmpty() ? " {}" : "") + "\n");
        settings.forEach((tenant, own) -> {
            boolean isEmpty = own.equals(PolicySettings.NONE_SET);
            text.append("  \"").append(tenant).append("\":").append(isEmpty ? " {}" : "").append('\n');
            own.values().forEach((field, value) -> line(text, "    ", field, value));
            if (!own.workloads().isEmpty()) {
                text.append("    ").append(WORKLOADS).append(":\n");
            }
            own.workloads().forEach((workload, limits) -> {
                text.append("      \"").append(workload).append("\":\n");
                limits.values().forEach((field, value) -> line(text, "        ", field, value));
            });
        });
        return text.toString();
    }

    /** Returns the settings as a map that is equal to the document of {@link #yaml}, for JSON. */
    static Map<String, Object> document(SortedMap<String, PolicySettings> settings) {
        Map<String, Object> tenants = new TreeMap<>();
        settings.forEach((tenant, own) -> {
            Map<String, Object> fields = new LinkedHashMap<>(texts(own.values()));
            Map<String, Object> workloads = new TreeMap<>();
            own.workloads().forEach((workload, limits) -> workloads.put(workload, texts(limits.values())));
            if (!workloads.isEmpty()) {
                fields.put(WORKLOADS, workloads);
            }
            tenants.put(tenant, fields);
        });
        return Map.of(TENANTS, tenants);
    }

    private static Map<String, String> texts(Map<PolicyField, Object> values) {
        Map<String, String> texts = new LinkedHashMap<>();
        values.forEach((field, value) -> texts.put(field.key(), field.format(value)));
        return texts;
    }

    private static void line(StringBuilder text, String indent, PolicyField field, Object value) {
        text.append(indent).append(field.key()).append(": ").append(field.format(value)).append('\n');
    }

    private SortedMap<String, PolicySettings> tenants(JsonNode root) {
        requireMap("", root);
        root.properties().stream().filter(entry -> !entry.getKey().equals(TENANTS)).findFirst().ifPresent(entry -> {
            throw wrong(entry.getKey(), entry.getValue(), "unknown key; known here: " + TENANTS);
        });
        // A file cut off before its first key must not remove all tenants.
        if (!root.has(TENANTS)) {
            throw new InvalidSettingException(name + ": must have the key " + TENANTS + ", a map of tenants");
        }
        requireMap(TENANTS, root.get(TENANTS));
        SortedMap<String, PolicySettings> settings = new TreeMap<>();
        root.get(TENANTS).properties().forEach(entry -> {
            String path = TENANTS + "." + entry.getKey();
            if (!isTenant(entry.getKey())) {
                throw wrong(path, entry.getValue(), "the tenant must be * or " + ItemLimits.NAME_ALLOWED);
            }
            settings.put(entry.getKey(), settings(path, entry.getValue()));
        });
        return Collections.unmodifiableSortedMap(settings);
    }

    private PolicySettings settings(String path, JsonNode node) {
        requireMap(path, node);
        Map<PolicyField, Object> values = new EnumMap<>(PolicyField.class);
        Map<String, WorkloadPolicy> workloads = new TreeMap<>();
        node.properties().forEach(entry -> {
            if (entry.getKey().equals(WORKLOADS)) {
                workloads.putAll(workloads(path + "." + WORKLOADS, entry.getValue()));
            } else {
                values.putAll(value(path, entry, Arrays.asList(PolicyField.values()), ", " + WORKLOADS));
            }
        });
        try {
            return new PolicySettings(values, workloads);
        } catch (IllegalArgumentException e) {
            throw new InvalidSettingException(name + ": " + Printable.of(path) + "." + e.getMessage());
        }
    }

    private Map<String, WorkloadPolicy> workloads(String path, JsonNode node) {
        requireMap(path, node);
        Map<String, WorkloadPolicy> workloads = new TreeMap<>();
        node.properties().forEach(entry -> {
            String workload = path + "." + entry.getKey();
            if (!ItemLimits.isName(entry.getKey())) {
                throw wrong(workload, entry.getValue(), "the workload must be " + ItemLimits.NAME_ALLOWED);
            }
            requireMap(workload, entry.getValue());
            WorkloadPolicy limits = WorkloadPolicy.DEFAULT;
            for (Map.Entry<String, JsonNode> each : entry.getValue().properties()) {
                for (Map.Entry<PolicyField, Object> value :
                        value(workload, each, PolicyField.OF_WORKLOADS, "").entrySet()) {
                    limits = limits.with(value.getKey(), value.getValue());
                }
            }
            workloads.put(entry.getKey(), limits);
        });
        return workloads;
    }

    /** Returns the field and stored value of one entry; nothing for a key without a value. */
    private Map<PolicyField, Object> value(
            String path, Map.Entry<String, JsonNode> entry, List<PolicyField> fields, String moreKeys) {
        String key = path + "." + entry.getKey();
        JsonNode node = entry.getValue();
        PolicyField field = fields.stream().filter(each -> each.key().equals(entry.getKey())).findFirst()
                .orElseThrow(() -> wrong(key, node, "unknown key; known here: " + fields.stream()
                        .map(PolicyField::key).collect(Collectors.joining(", ")) + moreKeys));
        if (node.isContainerNode()) {
            throw wrong(key, node, "must be one value");
        }
        try {
            return node.isNull() ? Map.of() : Map.of(field, field.parse(node.asText()));
        } catch (IllegalArgumentException e) {
            throw wrong(key, node, "must be " + field.allowed() + Numbers.hint(node.asText()));
        }
    }

    private void requireMap(String path, JsonNode node) {
        if (!node.isObject() && !node.isNull() && !node.isMissingNode()) {
            throw path.isEmpty() ? new InvalidSettingException(name + ": must be a map with the key " + TENANTS)
                    : wrong(path, node, "must be a map");
        }
    }

    private InvalidSettingException wrong(String path, JsonNode node, String allowed) {
        String shown = node.isObject() ? "{...}" : node.isArray() ? "[...]" : node.asText();
        return InvalidSettingException.in(name + ": ", path, shown, allowed);
    }
}
