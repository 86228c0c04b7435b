package io.spillway.kafka.view;

import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.PolicyIndex;
import io.spillway.core.policy.PolicySettings;
import io.spillway.core.policy.TenantPolicy;
import java.util.Collections;
import java.util.HashMap;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Policy in force for each tenant: its own settings, those of {@code *} and the configured defaults, in order of
 * precedence.
 *
 * <p>Owner of the settings and writer of the index: the view's thread. Readers see only complete policies.
 */
public final class TenantPolicies extends MapContent<PolicySettings> {
    /** Limit of tenants with dedicated partitions. */
    private static final int MAX_DEDICATED = 10_000;

    private final PolicyCodec codec = new PolicyCodec();
    private final PolicySettings defaults;
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
        super(new HashMap<>());
        this.defaults = defaults;
        this.resolved = new PolicyIndex(seed);
        this.others = TenantPolicy.of(defaults);
    }

    /** Returns the policy in force for a tenant, never null. */
    public TenantPolicy of(String tenant) {
        return resolved.of(tenant, others);
    }

    /** Returns the dedicated partitions requested, by tenant. Immutable, and the same object until it changes. */
    public SortedMap<String, Integer> dedicated() {
        return dedicated;
    }

    @Override
    public void put(String key, byte[] value) {
        PolicySettings own = codec.decode(value);
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
        PolicySettings all = entries.getOrDefault(ALL_TENANTS, PolicySettings.NONE_SET).over(defaults);
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
