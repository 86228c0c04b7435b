package io.spillway.cli.tenants;

import io.spillway.cli.options.ActionRun;
import io.spillway.cli.options.CommonOptions;
import io.spillway.config.Configuration;
import io.spillway.core.policy.PolicySettings;
import io.spillway.kafka.topics.Topics;
import io.spillway.kafka.view.TenantPolicies;
import io.spillway.kafka.view.ViewContent;
import io.spillway.runtime.CompactedTopics;
import io.spillway.runtime.ViewProgress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import org.apache.kafka.clients.producer.RecordMetadata;

/** Access of one command to the compacted topics about tenants, on a cluster that answers. */
record TenantTopics(CommonOptions common, Configuration configuration, Topics names) {
    /** @param needed selects the topics that must exist */
    static TenantTopics with(CommonOptions common, Function<Topics, List<String>> needed) {
        Configuration configuration = common.configurationWithCluster(needed);
        return new TenantTopics(common, configuration, new Topics(configuration.queue()));
    }

    static TenantTopics withPolicies(CommonOptions common) {
        return with(common, topics -> List.of(topics.policies()));
    }

    /** Returns access of a command that changes policies, and writes that to the action log. */
    static TenantTopics withChanges(CommonOptions common) {
        return with(common, topics -> List.of(topics.policies(), topics.actions()));
    }

    /** Writes to the action log what the command has done. */
    void record(String action, String tenant, Map<String, ?> options, String result) {
        new ActionRun(common, configuration).record(action, tenant, options, result);
    }

    /** Returns the policies of all tenants. */
    TenantPolicies policies() {
        return read(names.policies(), new TenantPolicies(configuration.defaults()));
    }

    /** Returns a copy of the stored settings by tenant, and of {@code *}; other keys of the topic have no effect. */
    SortedMap<String, PolicySettings> tenants() {
        SortedMap<String, PolicySettings> stored = new TreeMap<>(policies().all());
        stored.keySet().removeIf(key -> !PoliciesFile.isTenant(key));
        return stored;
    }

    <C extends ViewContent<?>> C read(String topic, C content) {
        try (CompactedTopics topics = new CompactedTopics(configuration, common.clock())) {
            return topics.read(topic, content);
        }
    }

    void removePolicy(String tenant, boolean wait) {
        write(names.policies(), List.of(tenant), null, wait);
    }

    /**
     * Stores a value under each of the keys.
     *
     * @param keys  one or more
     * @param value null removes the keys
     * @param wait  whether to wait until every running instance has applied the last change
     */
    void write(String topic, List<String> keys, byte[] value, boolean wait) {
        Map<String, byte[]> values = new LinkedHashMap<>();
        keys.forEach(key -> values.put(key, value));
        write(topic, values, wait);
    }

    /**
     * Stores values by key, in the order of the map.
     *
     * @param values one or more; null removes a key
     * @param wait   whether to wait until every running instance has applied the last change
     */
    void write(String topic, Map<String, byte[]> values, boolean wait) {
        List<RecordMetadata> stored = new ArrayList<>();
        try (CompactedTopics topics = new CompactedTopics(configuration, common.clock())) {
            values.forEach((key, value) -> stored.add(topics.write(topic, key, value)));
        }
        if (wait) {
            ViewProgress.await(configuration, stored.getLast(), common.clock(), common.printer());
        }
    }
}
