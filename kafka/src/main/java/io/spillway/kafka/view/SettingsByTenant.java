package io.spillway.kafka.view;

import io.spillway.core.policy.PolicySettings;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/** Every tenant's own settings as they are stored, for people to see and to change. Owner: the view's thread. */
public final class SettingsByTenant extends MapContent<PolicySettings> {
    private final PolicyCodec codec = new PolicyCodec();

    /** Starts without any settings. */
    public SettingsByTenant() {
        super(new ConcurrentHashMap<>());
    }

    /** All of them as they are now, by tenant. */
    public SortedMap<String, PolicySettings> all() {
        return Collections.unmodifiableSortedMap(new TreeMap<>(entries));
    }

    /** The settings in force for a tenant: its own over those of {@code *} over the configured defaults over the product's. */
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
