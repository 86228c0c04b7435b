package io.spillway.embed;

import io.spillway.core.policy.SettingsBinder;
import io.spillway.core.settings.InvalidSettingException;
import io.spillway.kafka.advice.SuggestedCommands;
import io.spillway.kafka.topics.FirstAnswer;
import io.spillway.kafka.topics.KafkaClients;
import io.spillway.kafka.topics.KafkaFailure;
import io.spillway.kafka.topics.KafkaSettings;
import io.spillway.kafka.topics.QueueSettings;
import io.spillway.kafka.topics.ShardSettings;
import io.spillway.kafka.topics.TopicAdmin;
import io.spillway.kafka.topics.TopicCheck;
import io.spillway.kafka.topics.TopicSettings;
import io.spillway.kafka.topics.Topics;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;

/** Queue as its topics on the cluster describe it, so that an application does not repeat their settings. */
final class ExistingQueue {
    private static final String REMEDY =
            "Check that it runs, its address (bootstrap.servers) and the security properties of the client.";

    private ExistingQueue() {}

    /**
     * Reads the settings of the topics and checks them as {@code topics check} does.
     *
     * @throws InvalidSettingException if the shards do not fit the number of partitions
     * @throws KafkaFailure if the cluster does not answer, a topic is missing or has other settings than required, or
     *                      the transactions of the cluster are not safe
     */
    static QueueSettings find(KafkaSettings kafka, ShardSettings shards) {
        SettingsBinder shipped = new SettingsBinder(Map.of());
        // For the names alone: the shards may not fit the number of partitions that ships.
        QueueSettings declared = new QueueSettings(
                kafka, shipped.bind(TopicSettings.class), shipped.bind(ShardSettings.class));
        KafkaClients clients = new KafkaClients(declared);
        Topics names = new Topics(declared);
        Set<String> existing = FirstAnswer.topics(kafka, clients, REMEDY);
        SuggestedCommands commands = kafka.commands(" --bootstrap-servers "
                + SuggestedCommands.quoted(kafka.bootstrapServers()) + " --prefix " + kafka.prefix());
        if (!existing.contains(names.ingress())) {
            throw new KafkaFailure("Kafka at " + kafka.bootstrapServers() + " has no queue with the prefix "
                    + kafka.prefix() + ": topic " + names.ingress() + " is missing. Set the prefix of your queue, or"
                    + " create its topics with: " + commands.spillway("topics create"));
        }
        try (Admin admin = clients.admin()) {
            boolean keepsTrail = existing.contains(names.trail());
            Map<ConfigResource, Config> configs = configs(admin, keepsTrail
                    ? List.of(names.ingress(), names.trail()) : List.of(names.ingress()));
            Optional<Duration> trail = keepsTrail
                    ? Optional.of(Duration.ofMillis(number(configs, names.trail(), TopicConfig.RETENTION_MS_CONFIG)))
                    : Optional.empty();
            List<TopicPartitionInfo> partitions = partitions(admin, names.ingress());
            TopicSettings found = new TopicSettings(partitions.size(), partitions.getFirst().replicas().size(),
                    (int) number(configs, names.ingress(), TopicConfig.MAX_MESSAGE_BYTES_CONFIG), trail,
                    Optional.of(number(configs, names.ingress(), TopicConfig.RETENTION_MS_CONFIG))
                            .filter(millis -> millis >= 0).map(Duration::ofMillis));
            QueueSettings queue = new QueueSettings(kafka, found, shards);
            check(new TopicCheck(admin, commands), new Topics(queue));
            return queue;
        }
    }

    private static void check(TopicCheck check, Topics topics) {
        List<String> problems = new ArrayList<>(check.checkTransactions());
        problems.addAll(check.compare(topics.all()).problems());
        if (!problems.isEmpty()) {
            throw new KafkaFailure(problems.getFirst()
                    + (problems.size() == 1 ? "" : " (and " + (problems.size() - 1) + " more; see: topics check)"));
        }
    }

    private static List<TopicPartitionInfo> partitions(Admin admin, String topic) {
        return TopicAdmin.get(admin.describeTopics(List.of(topic)).topicNameValues().get(topic),
                "describe topic " + topic).partitions();
    }

    private static Map<ConfigResource, Config> configs(Admin admin, List<String> topics) {
        return TopicAdmin.get(
                admin.describeConfigs(topics.stream().map(ExistingQueue::resource).toList()).all(), "describe topics");
    }

    private static long number(Map<ConfigResource, Config> configs, String topic, String name) {
        return Long.parseLong(configs.get(resource(topic)).get(name).value());
    }

    private static ConfigResource resource(String topic) {
        return new ConfigResource(ConfigResource.Type.TOPIC, topic);
    }
}
