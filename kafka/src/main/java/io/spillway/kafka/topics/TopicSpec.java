package io.spillway.kafka.topics;

import java.util.Map;

/**
 * Required state of one topic.
 *
 * @param name        full name with the prefix
 * @param partitions  1 or more
 * @param replication replicas, 1 or more
 * @param configs     topic settings of Kafka that must hold
 */
public record TopicSpec(String name, int partitions, int replication, Map<String, String> configs) {
    public TopicSpec {
        configs = Map.copyOf(configs);
    }
}
