package io.spillway.kafka.topics;

/** Settings of one queue that all roles share: cluster, topics and partition selection. No component is null. */
public record QueueSettings(KafkaSettings kafka, TopicSettings topics, ShardSettings shards) {
    /** @throws io.spillway.core.settings.InvalidSettingException if the shards do not fit the number of partitions */
    public QueueSettings {
        shards.numbered(topics.partitions());
    }
}
