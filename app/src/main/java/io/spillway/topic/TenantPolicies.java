package io.spillway.topic;

import io.spillway.policy.PolicyIndex;
import io.spillway.policy.PolicySettings;
import io.spillway.policy.TenantPolicy;
import java.util.HashMap;
import java.util.Map;

/**
 * The policy in force for every tenant: its own settings over those of {@code *} over the configured defaults.
 *
 * <p>Owner of the settings and writer of the index: the view's thread. Readers see only whole policies.
 */
public final class TenantPolicies implements ViewContent {
    private final PolicyCodec codec = new PolicyCodec();
    private final PolicySettings defaults;
    private final Map<String, PolicySettings> settings = new HashMap<>();
    private final PolicyIndex resolved;
    private volatile TenantPolicy others;

    /**
     * Starts without any tenant's settings, for tools and tests.
     *
     * @param defaults the configured defaults
     */
    public TenantPolicies(PolicySettings defaults) {
        this(defaults, 0);
    }

    /**
     * Starts without any tenant's settings.
     *
     * @param defaults the configured defaults
     * @param seed     of the tenants' hash; nobody who can name a tenant should know it
     */
    public TenantPolicies(PolicySettings defaults, long seed) {
        this.defaults = defaults;
        this.resolved = new PolicyIndex(seed);
        this.others = TenantPolicy.of(defaults);
    }

    /** The policy in force for a tenant, never null. */
    public TenantPolicy of(String tenant) {
        return resolved.of(tenant, others);
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
                    resolved.put(tenant, TenantPolicy.of(own.over(all)));
                }
            });
        } else if (settings.containsKey(key)) {
            resolved.put(key, TenantPolicy.of(settings.get(key).over(all)));
        } else {
            resolved.remove(key);
        }
    }
}
