package io.spillway.kafka.topics;

import io.spillway.kafka.advice.SuggestedCommands;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.StringJoiner;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.ClusterAuthorizationException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/**
 * Comparison of the topics and the cluster with what a queue needs. The caller closes the admin client. Every method
 * throws {@link KafkaFailure} if the cluster refuses or does not answer.
 */
public final class TopicCheck {
    /** Lowest level at which a fenced producer's transaction cannot leak into the next one (KIP-890). */
    static final short MIN_TRANSACTION_VERSION = 2;
    /** Setting of the brokers. */
    public static final String OFFSETS_RETENTION = "offsets.retention.minutes";

    /** A queue has 17 topics, usually all with the same number of replicas. */
    private static final int MAX_NAMED = 3;

    private final Admin admin;
    private final TopicAdmin topicAdmin;
    private final SuggestedCommands commands;

    /** Creates a check whose messages suggest these commands. */
    public TopicCheck(Admin admin, SuggestedCommands commands) {
        this.admin = admin;
        this.topicAdmin = new TopicAdmin(admin, commands);
        this.commands = commands;
    }

    /**
     * Findings of a check. A provider's own rules may allow no other setting where a warning says what it costs.
     *
     * @param problems what loses items or stops a role, with the command that corrects it
     * @param warnings what costs something else, with its consequence
     */
    public record Findings(List<String> problems, List<String> warnings) {}

    /** Compares topics with their declaration. */
    public Findings compare(Collection<TopicSpec> specs) {
        List<String> problems = new ArrayList<>();
        Map<String, TopicDescription> found = new HashMap<>();
        admin.describeTopics(specs.stream().map(TopicSpec::name).toList()).topicNameValues().forEach((name, future) -> {
            try {
                found.put(name, TopicAdmin.get(future, "describe topic " + name));
            } catch (KafkaFailure e) {
                if (!(e.getCause() instanceof UnknownTopicOrPartitionException)) {
                    throw e;
                }
                problems.add("topic " + name + " is missing. Create it with: " + commands.spillway("topics create"));
            }
        });
        List<TopicSpec> present = specs.stream().filter(spec -> found.containsKey(spec.name())).toList();
        Map<ConfigResource, Config> configs = topicAdmin.configs(present);
        Map<TopicDifference, List<TopicSpec>> costs = new LinkedHashMap<>();
        Map<Integer, List<TopicSpec>> byReplicas = new TreeMap<>();
        for (TopicSpec spec : present) {
            TopicDescription description = found.get(spec.name());
            compare(spec, description, problems);
            compare(spec, description, configs.get(TopicAdmin.resource(spec.name())), problems, costs);
            int replicas = replicasOf(description);
            if (replicas < spec.replication()) {
                byReplicas.computeIfAbsent(replicas, none -> new ArrayList<>()).add(spec);
            }
        }
        // One setting is the cause for all topics, so it comes first and once.
        byReplicas.forEach((replicas, topics) -> problems.addFirst(tooFewReplicas(replicas, topics)));
        return new Findings(problems, costs.entrySet().stream().map(cost -> warning(cost.getKey(), cost.getValue()))
                .toList());
    }

    private static String warning(TopicDifference cost, List<TopicSpec> topics) {
        return cost.key() + " is " + cost.actual() + " instead of " + cost.wanted() + " in " + named(topics) + ": "
                + cost.consequence();
    }

    /** Returns one line with the command that fixes it if transactions are not safe in this cluster, else nothing. */
    public List<String> checkTransactions() {
        var feature = TopicAdmin.get(admin.describeFeatures().featureMetadata(), "describe features")
                .finalizedFeatures().get("transaction.version");
        short level = feature == null ? 0 : feature.maxVersionLevel();
        return level >= MIN_TRANSACTION_VERSION
                ? List.of()
                : List.of("the cluster's transaction.version is " + level + ", but must be " + MIN_TRANSACTION_VERSION
                        + " or more (KIP-890). Upgrade it with: " + commands.kafka("kafka-features.sh",
                                "upgrade --feature transaction.version=" + MIN_TRANSACTION_VERSION));
    }

    /**
     * Returns how long the brokers keep the offsets of a group without members; empty if this login may not read it.
     */
    public Optional<Duration> offsetsRetention() {
        List<ConfigResource> brokers = TopicAdmin.get(admin.describeCluster().nodes(), "describe the cluster").stream()
                .map(node -> new ConfigResource(ConfigResource.Type.BROKER, node.idString())).toList();
        try {
            return TopicAdmin.get(admin.describeConfigs(brokers).all(), "read the settings of brokers").values()
                    .stream().flatMap(settings -> Stream.ofNullable(settings.get(OFFSETS_RETENTION)))
                    .map(setting -> Duration.ofMinutes(Long.parseLong(setting.value())))
                    .min(Comparator.naturalOrder());
        } catch (KafkaFailure e) {
            if (e.getCause() instanceof ClusterAuthorizationException) {
                return Optional.empty();
            }
            throw e;
        }
    }

    private String tooFewReplicas(int replicas, List<TopicSpec> topics) {
        int brokers = topicAdmin.brokers();
        int wanted = topics.getFirst().replication();
        return named(topics)
                + (topics.size() == 1 ? " has " : " have ") + replicas + (replicas == 1 ? " replica" : " replicas")
                + " but must have " + wanted + " or more (topics.replication)"
                + (brokers < wanted ? ", and " + TopicAdmin.brokersText(brokers) + TopicAdmin.setReplication(replicas)
                        : TopicAdmin.setReplication(replicas)
                                + ", or add replicas with Kafka's tool kafka-reassign-partitions.sh");
    }

    private static String named(List<TopicSpec> topics) {
        int others = topics.size() - MAX_NAMED;
        return (topics.size() == 1 ? "topic " : "topics ")
                + topics.stream().limit(MAX_NAMED).map(TopicSpec::name).collect(Collectors.joining(", "))
                + (others > 0 ? " and " + others + (others == 1 ? " other" : " others") : "");
    }

    private static int replicasOf(TopicDescription topic) {
        return topic.partitions().stream().mapToInt(partition -> partition.replicas().size()).min().orElse(0);
    }

    private static void compare(TopicSpec spec, TopicDescription found, List<String> problems) {
        String topic = "topic " + spec.name();
        if (found.partitions().size() != spec.partitions()) {
            problems.add(topic + " has " + found.partitions().size()
                    + (found.partitions().size() == 1 ? " partition" : " partitions") + " but must have "
                    + spec.partitions() + " (topics.partitions). Change the configuration, or add partitions to ingress"
                    + " and to all lanes");
        }
    }

    private void compare(TopicSpec spec, TopicDescription found, Config configs, List<String> problems,
            Map<TopicDifference, List<TopicSpec>> costs) {
        SortedMap<String, String> differing = TopicAdmin.differing(spec, configs);
        String timestamps = TopicAdmin.valueOf(configs, TopicConfig.MESSAGE_TIMESTAMP_TYPE_CONFIG);
        StringJoiner losses = new StringJoiner(", ");
        StringJoiner wanted = new StringJoiner(",");
        differing.forEach((key, actual) -> TopicDifference.of(
                spec, key, actual, timestamps, replicasOf(found)).ifPresent(difference -> {
            if (!difference.isLoss()) {
                costs.computeIfAbsent(difference, none -> new ArrayList<>()).add(spec);
                return;
            }
            String value = difference.wanted();
            losses.add(key + "=" + actual + " but must have " + value + " (" + difference.consequence() + ")");
            // The tool reads a value with commas only in brackets.
            wanted.add(key + "=" + (value.contains(",") ? "[" + value + "]" : value));
        }));
        if (losses.length() > 0) {
            problems.add("topic " + spec.name() + " has " + losses + ". Correct it with: "
                    + commands.kafka("kafka-configs.sh", "--alter --entity-type topics --entity-name " + spec.name()
                            + " --add-config " + SuggestedCommands.quoted(wanted.toString())));
        }
    }
}
