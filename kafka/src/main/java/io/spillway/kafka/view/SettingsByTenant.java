package io.spillway.kafka.view;

import io.spillway.core.policy.PolicySettings;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/** Tenants' own settings as stored, for display and editing. Owner: the view's thread. */
public final class SettingsByTenant extends MapContent<PolicySettings> {
    private final PolicyCodec codec = new PolicyCodec();

    /** Returns a copy of all settings, by tenant. */
    public SortedMap<String, PolicySettings> all() {
        return Collections.unmodifiableSortedMap(new TreeMap<>(entries));
    }

    /**
     * Returns the settings in force: the tenant's own, else those of {@code *}, the defaults, the built-in defaults.
     */
    public PolicySettings inForce(String tenant, PolicySettings defaults) {
        return entries.getOrDefault(tenant, PolicySettings.NONE_SET)
                .over(entries.getOrDefault(ALL_TENANTS, PolicySettings.NONE_SET))
                .over(defaults)
                .over(PolicySettings.DEFAULTS);
    }

    @Override
    public void put(String key, byte[] value) {
        entries.put(key, codec.decode(value));
    }
}
