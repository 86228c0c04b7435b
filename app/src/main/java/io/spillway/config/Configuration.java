package io.spillway.config;

import io.spillway.core.policy.PolicySettings;
import io.spillway.kafka.topics.KafkaSettings;
import io.spillway.kafka.topics.QueueSettings;
import io.spillway.kafka.topics.ShardSettings;
import io.spillway.kafka.topics.TopicSettings;
import io.spillway.worker.WorkerSettings;
import io.spillway.worker.handlers.HandlerSettings;

/**
 * Everything an operator can configure, checked. Each part's record says what its settings do.
 *
 * @param kafka    the cluster and how to reach it
 * @param topics   how our topics are made
 * @param defaults policy of every tenant that has none of its own; settings not in it are the product's defaults
 * @param router   the Kafka Streams application
 * @param worker   how items are taken from the lanes
 * @param handler  what is done with them
 * @param gateway  the front door
 * @param metrics  the endpoint that Prometheus reads
 * @param shards   which partitions each tenant's items go to
 */
public record Configuration(
        KafkaSettings kafka,
        TopicSettings topics,
        PolicySettings defaults,
        RouterSettings router,
        WorkerSettings worker,
        HandlerSettings handler,
        GatewaySettings gateway,
        MetricsSettings metrics,
        ShardSettings shards) {

    public Configuration {
        shards.requireFit(topics.partitions());
    }

    /** The settings that every role shares. */
    public QueueSettings queue() {
        return new QueueSettings(kafka, topics, shards);
    }

    /** This configuration with another cluster, for the embedded broker. */
    public Configuration withKafka(KafkaSettings other) {
        return new Configuration(other, topics, defaults, router, worker, handler, gateway, metrics, shards);
    }

    /** This configuration with other topic settings, for the embedded broker. */
    public Configuration withTopics(TopicSettings other) {
        return new Configuration(kafka, other, defaults, router, worker, handler, gateway, metrics, shards);
    }
}
