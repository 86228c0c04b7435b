package io.spillway.kafka.topics;

import java.util.List;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/** Somebody else's topic, whose records become items. Thread-safe; the caller closes the admin client. */
public record SourceTopic(Admin admin, String name) {
    /**
     * Returns a line if it cannot be read completely, else nothing.
     *
     * @throws KafkaFailure if the cluster refuses or does not answer
     */
    public List<String> problems() {
        ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, name);
        try {
            String policy = TopicAdmin.get(admin.describeConfigs(List.of(resource)).all(), "describe topic " + name)
                    .get(resource).get(TopicConfig.CLEANUP_POLICY_CONFIG).value();
            return !policy.contains(TopicConfig.CLEANUP_POLICY_COMPACT) ? List.of()
                    : List.of("topic " + name + " is compacted: records that are not read yet can be removed. Use a"
                            + " topic whose " + TopicConfig.CLEANUP_POLICY_CONFIG + " is delete");
        } catch (KafkaFailure e) {
            if (e.getCause() instanceof UnknownTopicOrPartitionException) {
                return List.of("topic " + name + " does not exist. Create it, or correct the name");
            }
            throw e;
        }
    }
}
