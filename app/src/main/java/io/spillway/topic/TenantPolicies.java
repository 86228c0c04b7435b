package io.spillway.topic;

import io.spillway.policy.PolicySettings;
import io.spillway.policy.TenantPolicy;
import java.lang.ref.WeakReference;
import java.util.HashMap;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The policy in force for every tenant: its own settings over those of {@code *} over the configured defaults.
 *
 * <p>Owner of the settings: the view's thread. Readers see only resolved policies, which are replaced whole.
 */
public final class TenantPolicies implements ViewContent {
    private final PolicyCodec codec = new PolicyCodec();
    private final PolicySettings defaults;
    private final Map<String, PolicySettings> settings = new HashMap<>();
    private final ConcurrentHashMap<String, TenantPolicy> resolved = new ConcurrentHashMap<>();
    private final WeakHashMap<TenantPolicy, WeakReference<TenantPolicy>> shared = new WeakHashMap<>();
    private volatile TenantPolicy others;

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

    @Override
    public void put(String key, byte[] value) {
        settings.put(key, codec.decode(value));
        resolve(key);
    }

    @Override
    public void remove(String key) {
        settings.remove(key);
        resolve(key);
    }

    @Override
    public boolean contains(String key) {
        return settings.containsKey(key);
    }

    @Override
    public int size() {
        return settings.size();
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
