package io.spillway.cli.tenants;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.dataformat.yaml.YAMLGenerator;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.spillway.config.DocumentMap;
import io.spillway.config.YamlDocument;
import io.spillway.core.item.ItemLimits;
import io.spillway.core.policy.NamedDestination;
import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.PolicySettings;
import io.spillway.core.policy.Subscription;
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
 * {@code workloads} has the limits of workloads, by workload. Beside them, {@code subscriptions} has those of tenants,
 * by tenant and name, and {@code destinations} has destinations by name.
 */
final class PoliciesFile {
    private static final String TENANTS = "tenants";
    static final String WORKLOADS = "workloads";
    private static final String SUBSCRIPTIONS = "subscriptions";
    private static final String DESTINATIONS = "destinations";
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

    static boolean isTenant(String key) {
        return key.equals(ViewContent.ALL_TENANTS) || ItemLimits.isName(key);
    }

    /**
     * Reads settings by tenant, and subscriptions and destinations by their keys in {@link TenantPolicies}.
     *
     * @param file {@code -} for standard input
     * @throws InvalidSettingException with the file, and the line or the path of the key
     */
    static SortedMap<String, PolicyEntry> read(Path file) {
        boolean isStandardInput = file.equals(STANDARD_INPUT);
        String name = isStandardInput ? "standard input" : Printable.of(file.toString());
        try (InputStream in = isStandardInput ? System.in : Files.newInputStream(file)) {
            return DocumentMap.read(name, YamlDocument.parse(name, in, MAX_BYTES), PoliciesFile::entries);
        } catch (IOException e) {
            throw new InvalidSettingException(name + ": cannot be read: " + YamlDocument.problemOf(e));
        }
    }

    /** Returns the settings as YAML that {@link #read} reads. */
    static String yaml(SortedMap<String, PolicyEntry> settings) {
        try {
            return YAML.writeValueAsString(document(settings));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("maps of texts cannot be written as YAML", e);
        }
    }

    /** Returns the settings as a map that is equal to the document of {@link #yaml}, for JSON. */
    static Map<String, Object> document(SortedMap<String, PolicyEntry> entries) {
        Map<String, Object> tenants = new TreeMap<>();
        Map<String, Map<String, Object>> subscriptions = new TreeMap<>();
        Map<String, Object> destinations = new TreeMap<>();
        entries.forEach((key, entry) -> {
            Map<String, Object> fields = new LinkedHashMap<>(texts(entry.settings().values()));
            if (entry.subscription().isPresent()) {
                Subscription own = entry.subscription().get();
                fields.put(WORKLOADS, own.pattern());
                subscriptions.computeIfAbsent(TenantPolicies.tenantOf(key), tenant -> new TreeMap<>())
                        .put(own.name(), fields);
                return;
            }
            if (entry.kind() == PolicyEntry.Kind.DESTINATION) {
                destinations.put(TenantPolicies.nameOf(key), fields);
                return;
            }
            Map<String, Object> workloads = new TreeMap<>();
            entry.settings().workloads().forEach((name, limits) -> workloads.put(name, texts(limits.values())));
            if (!workloads.isEmpty()) {
                fields.put(WORKLOADS, workloads);
            }
            tenants.put(key, fields);
        });
        Map<String, Object> document = new LinkedHashMap<>(Map.of(TENANTS, tenants));
        if (!subscriptions.isEmpty()) {
            document.put(SUBSCRIPTIONS, subscriptions);
        }
        if (!destinations.isEmpty()) {
            document.put(DESTINATIONS, destinations);
        }
        return document;
    }

    private static Map<String, String> texts(Map<PolicyField, Object> values) {
        Map<String, String> texts = new LinkedHashMap<>();
        values.forEach((field, value) -> texts.put(field.key(), field.format(value)));
        return texts;
    }

    private static SortedMap<String, PolicyEntry> entries(DocumentMap root) {
        boolean hasSubscriptions = root.has(SUBSCRIPTIONS);
        boolean hasDestinations = root.has(DESTINATIONS);
        // A file cut off before its first tenant must not remove all tenants.
        if (!root.has(TENANTS)) {
            root.end();
            throw root.absent(TENANTS);
        }
        SortedMap<String, PolicyEntry> entries = new TreeMap<>();
        root.one(TENANTS, tenants -> tenants.each(PoliciesFile::isTenant,
                "the tenant must be * or " + ItemLimits.NAME_ALLOWED, PoliciesFile::settings))
                .forEach((tenant, settings) -> entries.put(tenant, PolicyEntry.of(settings)));
        if (hasSubscriptions) {
            root.one(SUBSCRIPTIONS, tenants -> tenants.each(ItemLimits::isName,
                    "the tenant must be " + ItemLimits.NAME_ALLOWED, PoliciesFile::subscriptions))
                    .forEach((tenant, own) -> own.forEach((name, subscription) ->
                            entries.put(TenantPolicies.key(tenant, name), PolicyEntry.of(subscription))));
        }
        if (hasDestinations) {
            root.one(DESTINATIONS, names -> names.each(NamedDestination::isName,
                    "the name must be " + NamedDestination.NAME_ALLOWED, fields ->
                            new PolicySettings(fields.policy(PolicyField.OF_DESTINATIONS))))
                    .forEach((name, settings) -> entries.put(
                            TenantPolicies.destinationKey(name), PolicyEntry.ofDestination(settings)));
        }
        return Collections.unmodifiableSortedMap(entries);
    }

    private static SortedMap<String, Subscription> subscriptions(DocumentMap tenant) {
        SortedMap<String, Subscription> named = new TreeMap<>();
        tenant.each(ItemLimits::isName, "the name must be " + ItemLimits.NAME_ALLOWED, fields ->
                Map.entry(fields.text(WORKLOADS).orElse(Subscription.ANY),
                        new PolicySettings(fields.policy(PolicyField.OF_SUBSCRIPTIONS))))
                .forEach((name, read) -> named.put(name, new Subscription(name, read.getKey(), read.getValue())));
        return named;
    }

    private static PolicySettings settings(DocumentMap tenant) {
        return new PolicySettings(tenant.policy(List.of(PolicyField.values())),
                tenant.one(WORKLOADS, workloads -> workloads.each(
                        ItemLimits::isName, "the workload must be " + ItemLimits.NAME_ALLOWED,
                        workload -> WorkloadPolicy.of(workload.policy(PolicyField.OF_WORKLOADS)))));
    }
}
