package io.spillway.topic;

import io.spillway.policy.PolicySettings;
import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.concurrent.ConcurrentSkipListMap;

/** Every tenant's own settings as they are stored, for people to see and to change. Owner: the view's thread. */
public final class SettingsByTenant implements ViewContent {
    private final PolicyCodec codec = new PolicyCodec();
    private final ConcurrentSkipListMap<String, PolicySettings> settings = new ConcurrentSkipListMap<>();

    /** All of them, by tenant. */
    public SortedMap<String, PolicySettings> all() {
        return Collections.unmodifiableSortedMap(settings);
    }

    /** The settings in force for a tenant: its own over those of {@code *} over the configured defaults over the product's. */
    public PolicySettings inForce(String tenant, PolicySettings defaults) {
        return settings.getOrDefault(tenant, PolicySettings.NONE_SET)
                .over(settings.getOrDefault(ALL_TENANTS, PolicySettings.NONE_SET))
                .over(defaults)
                .over(PolicySettings.DEFAULTS);
    }

    @Override
    public void put(String key, byte[] value) {
        settings.put(key, codec.decode(value));
    }

    @Override
    public void remove(String key) {
        settings.remove(key);
    }

    @Override
    public boolean contains(String key) {
        return settings.containsKey(key);
    }

    @Override
    public int size() {
        return settings.size();
    }
}
