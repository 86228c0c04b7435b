package io.spillway.kafka.topics;

/**
 * Settings of one queue that every role shares: its cluster, its topics, and which partitions each tenant's items go to.
 *
 * @param kafka  the cluster and the prefix of every name, not null
 * @param topics how topics are created and checked, not null
 * @param shards partitions of each tenant, not null
 */
public record QueueSettings(KafkaSettings kafka, TopicSettings topics, ShardSettings shards) {
    /** @throws io.spillway.core.settings.InvalidSettingException when the shards do not fit the number of partitions */
    public QueueSettings {
        shards.requireFit(topics.partitions());
    }
}
