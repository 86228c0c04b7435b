package io.spillway.cli.tenants;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.dataformat.yaml.YAMLGenerator;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.spillway.config.DocumentMap;
import io.spillway.config.YamlDocument;
import io.spillway.core.item.ItemLimits;
import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.PolicySettings;
import io.spillway.core.policy.WorkloadPolicy;
import io.spillway.core.settings.InvalidSettingException;
import io.spillway.core.text.Printable;
import io.spillway.kafka.topics.Topics;
import io.spillway.kafka.view.TenantPolicies;
import io.spillway.kafka.view.ViewContent;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

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

    private static final YAMLMapper YAML = YAMLMapper.builder()
            .disable(YAMLGenerator.Feature.WRITE_DOC_START_MARKER, YAMLGenerator.Feature.SPLIT_LINES)
            .enable(YAMLGenerator.Feature.MINIMIZE_QUOTES)
            .build();

    private PoliciesFile() {}

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
            return DocumentMap.read(name, YamlDocument.parse(name, in, MAX_BYTES), PoliciesFile::tenants);
        } catch (IOException e) {
            throw new InvalidSettingException(name + ": cannot be read: " + YamlDocument.problemOf(e));
        }
    }

    /** Returns the settings as YAML that {@link #read} reads. */
    static String yaml(SortedMap<String, PolicySettings> settings) {
        try {
            return YAML.writeValueAsString(document(settings));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("maps of texts cannot be written as YAML", e);
        }
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

    private static SortedMap<String, PolicySettings> tenants(DocumentMap root) {
        // A file cut off before its first tenant must not remove all tenants.
        if (!root.has(TENANTS)) {
            root.end();
            throw root.absent(TENANTS);
        }
        return Collections.unmodifiableSortedMap(root.one(TENANTS, tenants -> tenants.each(
                PoliciesFile::isTenant, "the tenant must be * or " + ItemLimits.NAME_ALLOWED, PoliciesFile::settings)));
    }

    private static PolicySettings settings(DocumentMap tenant) {
        return new PolicySettings(tenant.policy(List.of(PolicyField.values())),
                tenant.one(WORKLOADS, workloads -> workloads.each(
                        ItemLimits::isName, "the workload must be " + ItemLimits.NAME_ALLOWED, PoliciesFile::limits)));
    }

    private static WorkloadPolicy limits(DocumentMap workload) {
        WorkloadPolicy limits = WorkloadPolicy.DEFAULT;
        for (Map.Entry<PolicyField, Object> value : workload.policy(PolicyField.OF_WORKLOADS).entrySet()) {
            limits = limits.with(value.getKey(), value.getValue());
        }
        return limits;
    }
}
