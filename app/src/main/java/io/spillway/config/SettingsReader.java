package io.spillway.config;

import io.spillway.policy.PolicyField;
import io.spillway.policy.PolicySettings;
import io.spillway.policy.ProtectionSettings;
import java.util.OptionalInt;

/** Every setting with its key and its default, once. */
final class SettingsReader {
    private SettingsReader() {}

    static Configuration read(KeyReader keys) {
        return new Configuration(
                new KafkaSettings(
                        keys.text("kafka.bootstrapServers", ""),
                        keys.text("kafka.prefix", "spillway"),
                        keys.integer("kafka.embeddedPort", 19_092),
                        keys.map("kafka.properties")),
                new TopicSettings(
                        keys.integer("topics.partitions", 12),
                        keys.integer("topics.replication", 3),
                        keys.integer("topics.maxBytes", 1_114_112)),
                readDefaults(keys),
                new RouterSettings(
                        keys.duration("router.commitInterval", "50ms"),
                        keys.integer("router.threads", 2),
                        keys.text("router.stateDir", ""),
                        keys.integer("router.maxTenants", 1_000_000),
                        keys.number("router.protection.multiple", ProtectionSettings.DEFAULT.multiple()),
                        keys.duration("router.protection.target", ProtectionSettings.DEFAULT.targetMillis() + "ms"),
                        keys.map("router.properties")),
                readWorker(keys),
                readHandler(keys),
                readGateway(keys),
                new MetricsSettings(
                        keys.text("metrics.host", "127.0.0.1"),
                        keys.integer("metrics.port", 9404),
                        keys.integer("metrics.tenants", 100)),
                readShards(keys));
    }

    private static PolicySettings readDefaults(KeyReader keys) {
        PolicySettings settings = PolicySettings.NONE_SET;
        for (PolicyField field : PolicyField.values()) {
            String key = "defaults." + field.key();
            String text = keys.text(key, "");
            if (!text.isEmpty()) {
                try {
                    settings = settings.with(field, text);
                } catch (IllegalArgumentException e) {
                    throw new InvalidSettingException(key, text, "must be " + field.allowed());
                }
            }
        }
        return settings;
    }

    private static WorkerSettings readWorker(KeyReader keys) {
        return new WorkerSettings(
                keys.text("worker.id", ""),
                keys.integer("worker.slots", 50),
                keys.number("worker.reserve", 0.2),
                keys.number("worker.agedTrickle", 0.02),
                keys.integer("worker.readAhead.items", 4_000),
                keys.integer("worker.readAhead.bytes", 64 * 1024 * 1024),
                keys.duration("worker.commitInterval", "50ms"),
                keys.duration("worker.drainGrace", "5s"),
                keys.duration("worker.leaseMax", "10m"),
                keys.duration("worker.transactionTimeout", "10s"),
                keys.integer("killer.deaths", 3));
    }

    private static GatewaySettings readGateway(KeyReader keys) {
        return new GatewaySettings(
                keys.text("gateway.host", "127.0.0.1"),
                keys.integer("gateway.port", 8080),
                new GatewaySettings.Tls(
                        keys.text("gateway.tls.certificateFile", ""),
                        keys.text("gateway.tls.keyFile", ""),
                        keys.text("gateway.tls.keystoreFile", ""),
                        keys.text("gateway.tls.keystorePassword", "")),
                keys.text("gateway.adminKeyFile", ""),
                new GatewaySettings.Limits(
                        keys.integer("gateway.limits.connections", 4_000),
                        keys.integer("gateway.limits.requests", 4_000),
                        keys.integer("gateway.limits.tenantRequests", 1_000),
                        keys.integer("gateway.limits.bytesInFlight", 128 * 1024 * 1024),
                        keys.integer("gateway.limits.headerBytes", 16 * 1024),
                        keys.integer("gateway.limits.batchLines", 1_000),
                        keys.integer("gateway.limits.batchBytes", 4 * 1024 * 1024),
                        keys.duration("gateway.limits.bodyTimeout", "15s"),
                        keys.duration("gateway.limits.idleTimeout", "60s"),
                        keys.duration("gateway.limits.confirmTimeout", "10s"),
                        keys.duration("gateway.limits.drainGrace", "10s")));
    }

    private static ShardSettings readShards(KeyReader keys) {
        String overlap = keys.text("shards.overlap", "none");
        return new ShardSettings(
                keys.longInteger("shards.seed", 0),
                keys.integer("shards.slots", 0),
                keys.integers("shards.table"),
                overlap.equals("none") ? OptionalInt.empty() : OptionalInt.of(keys.integer("shards.overlap", 0)),
                keys.integer("shards.workloadPartitions", 0),
                keys.duration("shards.stuckAfter", "10s"));
    }

    private static HandlerSettings readHandler(KeyReader keys) {
        return new HandlerSettings(
                keys.choice("handler.type", HandlerSettings.Type.LOG),
                keys.text("handler.http.url", ""),
                keys.duration("handler.http.connectTimeout", "2s"),
                keys.duration("handler.http.requestTimeout", "10s"),
                keys.text("handler.kafka.topic", ""),
                keys.text("handler.class", ""));
    }
}
