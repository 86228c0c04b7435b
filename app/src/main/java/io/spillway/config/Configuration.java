package io.spillway.config;

import io.spillway.core.policy.PolicySettings;
import io.spillway.core.policy.TenantPolicy;
import io.spillway.core.retry.RetrySettings;
import io.spillway.core.settings.InvalidSettingException;
import io.spillway.kafka.topics.KafkaSettings;
import io.spillway.kafka.topics.QueueSettings;
import io.spillway.kafka.topics.ShardSettings;
import io.spillway.kafka.topics.TopicSettings;
import io.spillway.worker.WorkerSettings;
import io.spillway.worker.handlers.HandlerSettings;

/**
 * Validated configuration of all parts. The records of the parts describe their settings.
 *
 * @param kafka    connection to the cluster
 * @param topics   properties of Spillway's topics
 * @param defaults policy of tenants without their own; unset fields have the product's defaults
 * @param router   the Kafka Streams application
 * @param worker   consumption of the lanes
 * @param handler  processing of items
 * @param gateway  the HTTP API
 * @param metrics  the Prometheus endpoint
 * @param shards   partition selection for each tenant
 * @param retry    budgets of retries
 */
public record Configuration(
        KafkaSettings kafka, TopicSettings topics, PolicySettings defaults, RouterSettings router,
        WorkerSettings worker, HandlerSettings handler, GatewaySettings gateway, MetricsSettings metrics,
        ShardSettings shards, RetrySettings retry) {

    public Configuration {
        // Its constructor checks that the shards fit the topics.
        new QueueSettings(kafka, topics, shards);
        int shardSize = TenantPolicy.of(defaults).shardSize();
        if (shards.overlap().isPresent() && shardSize > shards.largest()) {
            throw new InvalidSettingException("shards.largest", shards.largest(),
                    "must be at least defaults.shardSize = " + shardSize + " with shards.overlap");
        }
    }

    /** Returns the settings that all roles share. */
    public QueueSettings queue() {
        return new QueueSettings(kafka, topics, shards);
    }

    /** Returns a copy for a cluster at other addresses; an embedded one has its own settings of topics. */
    public Configuration on(String bootstrapServers, boolean embedded) {
        return new Configuration(kafka.withBootstrapServers(bootstrapServers),
                embedded ? topics.embedded() : topics,
                defaults, router, worker, handler, gateway, metrics, shards, retry);
    }
}
