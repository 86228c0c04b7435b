package io.spillway.embed;

import io.spillway.core.policy.PolicySettings;
import io.spillway.core.policy.SettingsBinder;
import io.spillway.core.settings.AllowedRange;
import io.spillway.core.settings.InvalidSettingException;
import io.spillway.core.settings.Setting;
import io.spillway.kafka.periodic.StartDelays;
import io.spillway.kafka.topics.KafkaSettings;
import io.spillway.kafka.topics.ShardSettings;
import io.spillway.worker.WorkerSettings;
import java.util.Map;
import java.util.TreeMap;

/**
 * Settings of an embedded worker. The properties of the topics are not among them, because the worker reads those from
 * the cluster.
 *
 * @param shards       partition selection, as configured for the routers
 * @param defaults     policy of tenants without their own, as configured for the routers
 * @param tenantSeries maximum number of tenants with metric series of their own
 */
record EmbeddedSettings(
        KafkaSettings kafka, WorkerSettings worker, ShardSettings shards, PolicySettings defaults,
        @Setting(key = "metrics.tenants", defaultValue = "100", allowed = "1 to 10000",
                doc = "Maximum number of tenants with metric series of their own; all others are counted together.")
                int tenantSeries) {
    private static final String BOOTSTRAP_SERVERS = "kafka.bootstrapServers";
    private static final String ID = "worker.id";
    private static final int MAX_ID_LENGTH = 100;

    EmbeddedSettings {
        AllowedRange.check(EmbeddedSettings.class, kafka, worker, shards, defaults, tenantSeries);
    }

    /**
     * Binds the values. A worker without an id has the name of this host.
     *
     * @throws InvalidSettingException if a key is unknown, a value is not allowed, or there is no address
     */
    static EmbeddedSettings of(Map<String, String> values) {
        Map<String, String> all = new TreeMap<>(values);
        if (all.getOrDefault(BOOTSTRAP_SERVERS, "").isBlank()) {
            throw new InvalidSettingException(
                    "bootstrap.servers", "", "must be set to the addresses of the Kafka cluster");
        }
        if (all.getOrDefault(ID, "").isEmpty()) {
            all.put(ID, hostId());
        }
        SettingsBinder binder = new SettingsBinder(all);
        EmbeddedSettings settings = binder.bind(EmbeddedSettings.class);
        for (String key : binder.unused()) {
            throw new InvalidSettingException(key, all.get(key), "unknown to an embedded worker. Known are the keys of"
                    + " docs/configuration.md below kafka, worker, killer, shards and defaults, and metrics.tenants");
        }
        return settings;
    }

    private static String hostId() {
        String name = StartDelays.hostName().replaceAll("[^A-Za-z0-9._-]", "-");
        if (name.isEmpty()) {
            throw new InvalidSettingException(
                    ID, "", "must be set, because this host does not know its own name");
        }
        return name.substring(0, Math.min(MAX_ID_LENGTH, name.length()));
    }
}
