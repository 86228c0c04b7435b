package io.spillway.embed;

import io.spillway.core.item.Lane;
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
import io.spillway.kafka.topics.TopicSpec;
import io.spillway.kafka.topics.Topics;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Queue as its topics on the cluster describe it, so that an application does not repeat their settings. */
final class ExistingQueue {
    private static final Logger LOG = LoggerFactory.getLogger(ExistingQueue.class);
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
            Stream<String> trail = keepsTrail(names.trail(), admin.describeTopics(List.of(names.trail()))
                    .topicNameValues().get(names.trail())) ? Stream.of(names.trail()) : Stream.empty();
            List<String> present = Stream.concat(
                    names.all().stream().map(TopicSpec::name).filter(existing::contains), trail).toList();
            TopicSettings found = settings(names,
                    TopicAdmin.get(admin.describeTopics(present).allTopicNames(), "describe topics"),
                    TopicAdmin.get(admin.describeConfigs(present.stream().map(ExistingQueue::resource).toList()).all(),
                            "describe topics"));
            QueueSettings queue = new QueueSettings(kafka, found, shards);
            check(new TopicCheck(admin, commands), new Topics(queue));
            return queue;
        }
    }

    /**
     * Returns whether the queue keeps a trail. Kafka does not say whether a topic exists that a login may not see, and
     * where there is no trail nobody needs a permission on it.
     */
    static boolean keepsTrail(String trail, KafkaFuture<TopicDescription> answer) {
        try {
            TopicAdmin.get(answer, "describe topic " + trail);
            return true;
        } catch (KafkaFailure e) {
            if (e.getCause() instanceof TopicAuthorizationException) {
                LOG.warn("This login may not see the topic {}, so this worker writes no trail. If the queue keeps one,"
                        + " give the login DESCRIBE, DESCRIBE_CONFIGS and WRITE on it, and start the worker again", trail);
            } else if (!(e.getCause() instanceof UnknownTopicOrPartitionException)) {
                throw e;
            }
            return false;
        }
    }

    /** Returns the settings with which the topics, of which some may be missing, were created. */
    static TopicSettings settings(
            Topics names, Map<String, TopicDescription> topics, Map<ConfigResource, Config> configs) {
        Optional<Duration> trail = topics.containsKey(names.trail())
                ? Optional.of(Duration.ofMillis(number(configs, names.trail(), TopicConfig.RETENTION_MS_CONFIG)))
                : Optional.empty();
        // A topic has more replicas while they move.
        int replication = topics.values().stream().flatMap(topic -> topic.partitions().stream())
                .mapToInt(partition -> partition.replicas().size()).min().orElse(1);
        return new TopicSettings(topics.get(names.ingress()).partitions().size(), replication,
                maxBytes(names, configs), trail,
                Optional.of(number(configs, names.ingress(), TopicConfig.RETENTION_MS_CONFIG))
                        .filter(millis -> millis >= 0).map(Duration::ofMillis));
    }

    /**
     * The queue takes what fits into ingress and into its lanes. A single lane that takes less is a fault, which the
     * check names.
     */
    private static int maxBytes(Topics names, Map<ConfigResource, Config> configs) {
        long ofLanes = Stream.of(Lane.values()).filter(lane -> configs.containsKey(resource(names.lane(lane))))
                .mapToLong(lane -> number(configs, names.lane(lane), TopicConfig.MAX_MESSAGE_BYTES_CONFIG)
                        - (lane == Lane.DEAD_LETTER ? Topics.DEAD_LETTER_HEADROOM_BYTES : Topics.LANE_HEADROOM_BYTES))
                .max().orElse(Long.MAX_VALUE);
        return (int) Math.min(number(configs, names.ingress(), TopicConfig.MAX_MESSAGE_BYTES_CONFIG), ofLanes);
    }

    private static void check(TopicCheck check, Topics topics) {
        List<String> problems = new ArrayList<>(check.checkTransactions());
        problems.addAll(check.compare(topics.all()).problems());
        if (!problems.isEmpty()) {
            throw new KafkaFailure(problems.getFirst()
                    + (problems.size() == 1 ? "" : " (and " + (problems.size() - 1) + " more; see: topics check)"));
        }
    }

    private static long number(Map<ConfigResource, Config> configs, String topic, String name) {
        return Long.parseLong(configs.get(resource(topic)).get(name).value());
    }

    private static ConfigResource resource(String topic) {
        return new ConfigResource(ConfigResource.Type.TOPIC, topic);
    }
}
