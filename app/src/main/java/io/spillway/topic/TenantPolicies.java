package io.spillway.topic;

import io.spillway.policy.PolicyField;
import io.spillway.policy.PolicySettings;
import io.spillway.policy.TenantPolicy;
import java.lang.ref.WeakReference;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The policy in force for every tenant: its own settings over those of {@code *} over the configured defaults.
 *
 * <p>Owner of the settings: the view's thread. Readers see only resolved policies, which are replaced whole.
 */
public final class TenantPolicies implements ViewContent {
    /** Most tenants with partitions of their own. */
    private static final int MAX_DEDICATED = 10_000;

    private final PolicyCodec codec = new PolicyCodec();
    private final PolicySettings defaults;
    private final Map<String, PolicySettings> settings = new HashMap<>();
    private final ConcurrentHashMap<String, TenantPolicy> resolved = new ConcurrentHashMap<>();
    private final WeakHashMap<TenantPolicy, WeakReference<TenantPolicy>> shared = new WeakHashMap<>();
    private volatile TenantPolicy others;
    private volatile SortedMap<String, Integer> dedicated = Collections.emptySortedMap();

    /**
     * Starts without any tenant's settings.
     *
     * @param defaults the configured defaults
     */
    public TenantPolicies(PolicySettings defaults) {
        this.defaults = defaults;
        this.others = TenantPolicy.of(defaults);
    }

    /** The policy in force for a tenant, never null. */
    public TenantPolicy of(String tenant) {
        TenantPolicy own = resolved.get(tenant);
        return own == null ? others : own;
    }

    /**
     * How many partitions of their own tenants are to have, by tenant: those with a setting of their own above 0. Immutable,
     * and the same object until it changes.
     */
    public SortedMap<String, Integer> dedicated() {
        return dedicated;
    }

    @Override
    public void put(String key, byte[] value) {
        PolicySettings own = codec.decode(value);
        settings.put(key, own);
        resolve(key);
        dedicate(key, (Long) own.get(PolicyField.DEDICATED).orElse(0L));
    }

    @Override
    public void remove(String key) {
        settings.remove(key);
        resolve(key);
        dedicate(key, 0);
    }

    @Override
    public boolean contains(String key) {
        return settings.containsKey(key);
    }

    @Override
    public int size() {
        return settings.size();
    }

    /** Copied whole, for it changes seldom. Nobody has more partitions than the bound, so what is beyond it could not be met. */
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
        PolicySettings all = settings.getOrDefault(ALL_TENANTS, PolicySettings.NONE_SET).over(defaults);
        if (key.equals(ALL_TENANTS)) {
            others = TenantPolicy.of(all);
            settings.forEach((tenant, own) -> {
                if (!tenant.equals(ALL_TENANTS)) {
                    resolved.put(tenant, shared(own.over(all)));
                }
            });
        } else if (settings.containsKey(key)) {
            resolved.put(key, shared(settings.get(key).over(all)));
        } else {
            resolved.remove(key);
        }
    }

    /**
     * One object for all tenants with the same policy. Many tenants share a few plans, and what each of 100,000 tenants
     * has for itself is in no cache of the processor when its item comes.
     */
    private TenantPolicy shared(PolicySettings all) {
        TenantPolicy policy = TenantPolicy.of(all);
        WeakReference<TenantPolicy> known = shared.get(policy);
        TenantPolicy same = known == null ? null : known.get();
        if (same != null) {
            return same;
        }
        shared.put(policy, new WeakReference<>(policy));
        return policy;
    }
}
