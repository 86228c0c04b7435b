package io.spillway.kafka.view;

import io.spillway.core.item.ItemLimits;
import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.PolicyIndex;
import io.spillway.core.policy.PolicySettings;
import io.spillway.core.policy.TenantContext;
import io.spillway.core.policy.TenantPolicy;
import io.spillway.core.policy.WorkloadPolicy;
import io.spillway.kafka.codec.RecordCodec;
import io.spillway.schema.WorkloadLimits;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.avro.generic.GenericRecord;

/**
 * Policy in force for each tenant: its own settings, those of {@code *} and the configured defaults, in order of
 * precedence.
 *
 * <p>Owner of the settings and writer of the index: the view's thread. Readers see only complete policies.
 */
public final class TenantPolicies extends ViewContent<PolicySettings> {
    /** Limit of tenants with dedicated partitions. */
    private static final int MAX_DEDICATED = 10_000;

    private static final RecordCodec<io.spillway.schema.TenantPolicy> CODEC =
            new RecordCodec<>(new io.spillway.schema.TenantPolicy());

    private final PolicySettings defaults;
    private final long seed;
    private final PolicyIndex resolved;
    private volatile TenantPolicy others;
    private volatile SortedMap<String, Integer> dedicated = Collections.emptySortedMap();

    /** Creates content without tenants, for tools and tests. */
    public TenantPolicies(PolicySettings defaults) {
        this(defaults, 0);
    }

    /**
     * Creates content without tenants.
     *
     * @param defaults the configured defaults
     * @param seed     seed of the hash of tenants; keep it secret from anyone who can choose tenant names
     */
    public TenantPolicies(PolicySettings defaults, long seed) {
        this.defaults = defaults;
        this.seed = seed;
        this.resolved = new PolicyIndex(seed);
        this.others = TenantPolicy.of(defaults);
    }

    /** Returns a tenant's encoded settings, with null for a setting that is not set. */
    public static byte[] encode(String tenant, PolicySettings settings) {
        var record = new io.spillway.schema.TenantPolicy();
        record.put("tenant", tenant);
        settings.values().forEach((field, value) -> record.put(field.key(), value));
        record.put("workloads", settings.workloads().entrySet().stream()
                .map(each -> new WorkloadLimits(
                        each.getKey(), each.getValue().weight(), each.getValue().storedConcurrency(),
                        each.getValue().paused()))
                .toList());
        return CODEC.encode(record);
    }

    /** @throws IllegalArgumentException if the bytes are not encoded settings */
    public static PolicySettings decode(byte[] bytes) {
        GenericRecord record = CODEC.decode(bytes);
        Map<PolicyField, Object> values = new EnumMap<>(PolicyField.class);
        for (PolicyField field : PolicyField.values()) {
            Object value = record.get(field.key());
            if (value != null) {
                values.put(field, value instanceof CharSequence ? value.toString() : value);
            }
        }
        return new PolicySettings(values, workloads((List<?>) record.get("workloads")));
    }

    /** Returns the first limits of an array that may be longer than is allowed, and have invalid names. */
    private static Map<String, WorkloadPolicy> workloads(List<?> limits) {
        Map<String, WorkloadPolicy> workloads = new HashMap<>();
        for (Object each : limits) {
            GenericRecord limit = (GenericRecord) each;
            String name = limit.get("workload").toString();
            if (ItemLimits.isName(name) && workloads.size() < TenantPolicy.MAX_WORKLOADS) {
                workloads.put(name, WorkloadPolicy.DEFAULT.with(PolicyField.WEIGHT, limit.get("weight"))
                        .with(PolicyField.CONCURRENCY, limit.get("concurrency"))
                        .with(PolicyField.PAUSED, limit.get("paused")));
            }
        }
        return workloads;
    }

    /** Returns the policy in force for a tenant, never null. */
    public TenantPolicy of(String tenant) {
        return context(tenant).policy();
    }

    /** Returns a tenant with its policy in force. */
    public TenantContext context(String tenant) {
        return resolved.of(tenant, others);
    }

    /** Returns the seed of the hash in every {@link #context}. */
    public long seed() {
        return seed;
    }

    /** Returns a copy of the tenants' own settings as stored, by tenant. */
    public SortedMap<String, PolicySettings> all() {
        return Collections.unmodifiableSortedMap(new TreeMap<>(entries));
    }

    /** Returns the tenants with own settings, and {@code *} if it has some. Unordered; changes with the view. */
    public Set<String> names() {
        return Collections.unmodifiableSet(entries.keySet());
    }

    /** Returns the settings stored for a tenant or for {@code *}; none if there are no such. */
    public PolicySettings own(String tenant) {
        return entries.getOrDefault(tenant, PolicySettings.NONE_SET);
    }

    /** Returns the value in force of every setting for a tenant; those without one have the built-in default. */
    public PolicySettings inForce(String tenant) {
        return own(tenant).over(own(ALL_TENANTS)).over(defaults).over(PolicySettings.DEFAULTS);
    }

    /** Returns the dedicated partitions requested, by tenant. Immutable, and the same object until it changes. */
    public SortedMap<String, Integer> dedicated() {
        return dedicated;
    }

    @Override
    public void put(String key, byte[] value) {
        PolicySettings own = decode(value);
        entries.put(key, own);
        resolve(key);
        dedicate(key, (Long) own.get(PolicyField.DEDICATED).orElse(0L));
    }

    @Override
    public void remove(String key) {
        entries.remove(key);
        resolve(key);
        dedicate(key, 0);
    }

    /** Copies the map, because it changes rarely. No queue has enough partitions for requests beyond the limit. */
    private void dedicate(String key, long partitions) {
        boolean isNamed = !key.equals(ALL_TENANTS) && partitions > 0;
        int wanted = isNamed ? (int) partitions : 0;
        if (dedicated.getOrDefault(key, 0) == wanted || wanted > 0 && dedicated.size() >= MAX_DEDICATED) {
            return;
        }
        TreeMap<String, Integer> changed = new TreeMap<>(dedicated);
        if (wanted > 0) {
            changed.put(key, wanted);
        } else {
            changed.remove(key);
        }
        dedicated = Collections.unmodifiableSortedMap(changed);
    }

    private void resolve(String key) {
        PolicySettings all = own(ALL_TENANTS).over(defaults);
        if (key.equals(ALL_TENANTS)) {
            others = TenantPolicy.of(all);
            entries.forEach((tenant, own) -> {
                if (!tenant.equals(ALL_TENANTS)) {
                    resolved.put(tenant, TenantPolicy.of(own.over(all)));
                }
            });
        } else if (entries.containsKey(key)) {
            resolved.put(key, TenantPolicy.of(entries.get(key).over(all)));
        } else {
            resolved.remove(key);
        }
    }
}
