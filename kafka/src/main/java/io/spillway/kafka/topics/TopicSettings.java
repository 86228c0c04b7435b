package io.spillway.kafka.topics;

import io.spillway.core.settings.AllowedRange;
import io.spillway.core.settings.Setting;

/** Settings of the topics, for their creation and for the check at every start. */
public record TopicSettings(
        @Setting(key = "topics.partitions", defaultValue = "12", allowed = "1 to 10000",
                doc = "Partitions of the ingress topic and of every lane.") int partitions,
        @Setting(key = "topics.replication", defaultValue = "3", allowed = "1 to 9",
                doc = "Replicas of every topic. The embedded Kafka always has 1.") int replication,
        @Setting(key = "topics.maxBytes", defaultValue = "1114112", allowed = "1024 to 104857600", unit = "bytes",
                doc = "Largest record that the ingress topic takes, with key, headers and framing.") int maxBytes) {
    public TopicSettings {
        AllowedRange.check(TopicSettings.class, partitions, replication, maxBytes);
    }

    /** Returns these settings with another number of replicas. */
    public TopicSettings withReplication(int other) {
        return new TopicSettings(partitions, other, maxBytes);
    }
}
