package io.spillway.kafka.topics;

import java.util.Map;
import org.apache.kafka.common.config.TopicConfig;

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

    /** Returns the topic with no setting but its cleanup policy, which cannot be changed everywhere. */
    TopicSpec bare() {
        return new TopicSpec(name, partitions, replication, Map.of(
                TopicConfig.CLEANUP_POLICY_CONFIG, configs.get(TopicConfig.CLEANUP_POLICY_CONFIG)));
    }

    boolean isMoreThanBare() {
        return configs.size() > 1;
    }
}
