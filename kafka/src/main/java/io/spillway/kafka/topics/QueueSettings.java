package io.spillway.kafka.topics;

/**
 * Settings of one queue that all roles share: its cluster, its topics and its partition selection.
 *
 * @param kafka  the cluster and the prefix of all names, not null
 * @param topics how topics are created and checked, not null
 * @param shards which partitions each tenant uses, not null
 */
public record QueueSettings(KafkaSettings kafka, TopicSettings topics, ShardSettings shards) {
    /** @throws io.spillway.core.settings.InvalidSettingException if the shards do not fit the number of partitions */
    public QueueSettings {
        shards.requireFit(topics.partitions());
    }
}
