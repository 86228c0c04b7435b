package io.spillway.kafka.topics;

import io.spillway.kafka.advice.SuggestedCommands;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.StringJoiner;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.ClusterAuthorizationException;
import org.apache.kafka.common.errors.InvalidReplicationFactorException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/**
 * Creation and check of Spillway's topics. The caller closes the admin client. Every method throws {@link KafkaFailure}
 * if the cluster refuses or does not answer.
 */
public final class TopicAdmin {
    /** Lowest level at which a fenced producer's transaction cannot leak into the next one (KIP-890). */
    static final short MIN_TRANSACTION_VERSION = 2;
    /** Setting of the brokers. */
    public static final String OFFSETS_RETENTION = "offsets.retention.minutes";

    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private static final Duration RETRY_PAUSE = Duration.ofMillis(50);
    /** A queue has 17 topics, usually all with the same number of replicas. */
    private static final int MAX_NAMED = 3;
    private static final long MAX_RETRIES = TIMEOUT.dividedBy(RETRY_PAUSE);

    private final Admin admin;
    private final SuggestedCommands commands;

    /** Creates an administrator whose messages suggest these commands. */
    public TopicAdmin(Admin admin, SuggestedCommands commands) {
        this.admin = admin;
        this.commands = commands;
    }

    /** Creates an administrator that does not know the address of the cluster for its messages. */
    public TopicAdmin(Admin admin) {
        this(admin, new SuggestedCommands("", false, ""));
    }

    /** Creates the missing topics, waits until their partitions have leaders, and returns their names. */
    public List<String> createMissing(Collection<TopicSpec> specs) {
        Set<String> existing = get(admin.listTopics().names(), "list topics");
        List<TopicSpec> missing = specs.stream().filter(spec -> !existing.contains(spec.name())).toList();
        List<String> created = new ArrayList<>();
        admin.createTopics(missing.stream().map(TopicAdmin::toNewTopic).toList()).values().forEach((name, future) -> {
            try {
                get(future, "create topic " + name);
                created.add(name);
            } catch (KafkaFailure e) {
                if (e.getCause() instanceof InvalidReplicationFactorException) {
                    int brokers = brokers();
                    throw new KafkaFailure("cannot create topic " + name + ": " + brokersText(brokers)
                            + setReplication(brokers) + ", or add brokers");
                }
                // Another instance may create the same topic at the same time.
                if (!(e.getCause() instanceof TopicExistsException)) {
                    throw e;
                }
            }
        });
        // A new topic may not have leaders yet; producing to it then can fail permanently.
        awaitLeaders(missing);
        return created;
    }

    /**
     * Returns one line for each topic or property of it that differs from the required state, with the command that
     * fixes it.
     */
    public List<String> check(Collection<TopicSpec> specs) {
        List<String> problems = new ArrayList<>();
        Map<String, TopicDescription> found = new HashMap<>();
        admin.describeTopics(specs.stream().map(TopicSpec::name).toList()).topicNameValues().forEach((name, future) -> {
            try {
                found.put(name, get(future, "describe topic " + name));
            } catch (KafkaFailure e) {
                if (!(e.getCause() instanceof UnknownTopicOrPartitionException)) {
                    throw e;
                }
                problems.add("topic " + name + " is missing. Create it with: " + commands.spillway("topics create"));
            }
        });
        List<TopicSpec> present = specs.stream().filter(spec -> found.containsKey(spec.name())).toList();
        Map<ConfigResource, Config> configs = configs(present);
        Map<Integer, List<TopicSpec>> byReplicas = new TreeMap<>();
        for (TopicSpec spec : present) {
            TopicDescription description = found.get(spec.name());
            compare(spec, description, problems);
            compare(spec, description, configs.get(resource(spec.name())), problems);
            int replicas = replicasOf(description);
            if (replicas < spec.replication()) {
                byReplicas.computeIfAbsent(replicas, none -> new ArrayList<>()).add(spec);
            }
        }
        // One setting is the cause for all topics, so it comes first and once.
        byReplicas.forEach((replicas, topics) -> problems.addFirst(tooFewReplicas(replicas, topics)));
        return problems;
    }

    /**
     * Gives existing topics the required settings, waits until they apply, and returns the topics that differed.
     * Partitions and replicas stay.
     */
    public List<String> alignSettings(Collection<TopicSpec> specs) {
        Map<ConfigResource, Collection<AlterConfigOp>> changes = changes(specs);
        if (!changes.isEmpty()) {
            get(admin.incrementalAlterConfigs(changes).all(), "change settings of topics");
        }
        // A broker applies them a moment after the controller has answered.
        for (long retries = MAX_RETRIES; !changes(specs).isEmpty(); retries--) {
            if (retries == 0) {
                throw new KafkaFailure("cannot change settings of topics", new KafkaException(
                        "they do not apply after " + TIMEOUT.toSeconds() + " s"));
            }
            pause(RETRY_PAUSE, "change settings of topics");
        }
        return changes.keySet().stream().map(ConfigResource::name).sorted().toList();
    }

    private Map<ConfigResource, Collection<AlterConfigOp>> changes(Collection<TopicSpec> specs) {
        Map<ConfigResource, Config> configs = configs(specs);
        Map<ConfigResource, Collection<AlterConfigOp>> changes = new HashMap<>();
        for (TopicSpec spec : specs) {
            List<AlterConfigOp> ofTopic = differing(spec, configs.get(resource(spec.name()))).keySet().stream()
                    .map(key -> new AlterConfigOp(
                            new ConfigEntry(key, spec.configs().get(key)), AlterConfigOp.OpType.SET))
                    .toList();
            if (!ofTopic.isEmpty()) {
                changes.put(resource(spec.name()), ofTopic);
            }
        }
        return changes;
    }

    private Map<ConfigResource, Config> configs(Collection<TopicSpec> specs) {
        List<ConfigResource> topics = specs.stream().map(spec -> resource(spec.name())).toList();
        return get(admin.describeConfigs(topics).all(), "describe topics");
    }

    /** Returns the size limits of records that are lower than required, by topic, in bytes. */
    public Map<String, Integer> loweredLimits(Collection<TopicSpec> specs) {
        Map<ConfigResource, Config> configs = configs(specs);
        Map<String, Integer> lowered = new HashMap<>();
        for (TopicSpec spec : specs) {
            String actual = differing(spec, configs.get(resource(spec.name())))
                    .get(TopicConfig.MAX_MESSAGE_BYTES_CONFIG);
            if (actual != null && Long.parseLong(actual) < Long.parseLong(
                    spec.configs().get(TopicConfig.MAX_MESSAGE_BYTES_CONFIG))) {
                lowered.put(spec.name(), Integer.parseInt(actual));
            }
        }
        return lowered;
    }

    /** Returns the actual values of the settings that differ, in the order of their names. */
    private static SortedMap<String, String> differing(TopicSpec spec, Config configs) {
        SortedMap<String, String> differing = new TreeMap<>();
        spec.configs().forEach((key, wanted) -> {
            ConfigEntry entry = configs.get(key);
            String actual = entry == null ? "unset" : entry.value();
            if (!wanted.equals(actual)) {
                differing.put(key, actual);
            }
        });
        return differing;
    }

    /** Returns one line with the command that fixes it if transactions are not safe in this cluster, else nothing. */
    public List<String> checkTransactions() {
        var feature = get(admin.describeFeatures().featureMetadata(), "describe features")
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
        List<ConfigResource> brokers = get(admin.describeCluster().nodes(), "describe the cluster").stream()
                .map(node -> new ConfigResource(ConfigResource.Type.BROKER, node.idString())).toList();
        try {
            return get(admin.describeConfigs(brokers).all(), "read the settings of brokers").values().stream()
                    .flatMap(settings -> Stream.ofNullable(settings.get(OFFSETS_RETENTION)))
                    .map(setting -> Duration.ofMinutes(Long.parseLong(setting.value())))
                    .min(Comparator.naturalOrder());
        } catch (KafkaFailure e) {
            if (e.getCause() instanceof ClusterAuthorizationException) {
                return Optional.empty();
            }
            throw e;
        }
    }

    private int brokers() {
        return get(admin.describeCluster().nodes(), "describe the cluster").size();
    }

    private static String brokersText(int brokers) {
        return "the cluster has " + brokers + (brokers == 1 ? " broker" : " brokers");
    }

    private static String setReplication(int replicas) {
        return ". Set topics.replication: " + replicas + " (or SPILLWAY_TOPICS_REPLICATION=" + replicas + ")";
    }

    private String tooFewReplicas(int replicas, List<TopicSpec> topics) {
        int brokers = brokers();
        int wanted = topics.getFirst().replication();
        int others = topics.size() - MAX_NAMED;
        return (topics.size() == 1 ? "topic " : "topics ")
                + topics.stream().limit(MAX_NAMED).map(TopicSpec::name).collect(Collectors.joining(", "))
                + (others > 0 ? " and " + others + (others == 1 ? " other" : " others") : "")
                + (topics.size() == 1 ? " has " : " have ") + replicas + (replicas == 1 ? " replica" : " replicas")
                + " but must have " + wanted + " or more (topics.replication)"
                + (brokers < wanted ? ", and " + brokersText(brokers) + setReplication(replicas)
                        : setReplication(replicas)
                                + ", or add replicas with Kafka's tool kafka-reassign-partitions.sh");
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

    private void compare(TopicSpec spec, TopicDescription found, Config configs, List<String> problems) {
        SortedMap<String, String> differing = differing(spec, configs);
        // More in-sync replicas than replicas would refuse every record.
        if (Integer.parseInt(spec.configs().get(TopicConfig.MIN_IN_SYNC_REPLICAS_CONFIG)) > replicasOf(found)) {
            differing.remove(TopicConfig.MIN_IN_SYNC_REPLICAS_CONFIG);
        }
        if (!differing.isEmpty()) {
            StringJoiner differences = new StringJoiner(", ");
            StringJoiner wanted = new StringJoiner(",");
            differing.forEach((key, actual) -> {
                String value = spec.configs().get(key);
                differences.add(key + "=" + actual + " but must have " + value);
                // The tool reads a value with commas only in brackets.
                wanted.add(key + "=" + (value.contains(",") ? "[" + value + "]" : value));
            });
            problems.add("topic " + spec.name() + " has " + differences + ". Correct it with: "
                    + commands.kafka("kafka-configs.sh", "--alter --entity-type topics --entity-name " + spec.name()
                            + " --add-config " + SuggestedCommands.quoted(wanted.toString())));
        }
    }

    private void awaitLeaders(List<TopicSpec> specs) {
        Map<TopicPartition, OffsetSpec> request = new HashMap<>();
        for (TopicSpec spec : specs) {
            for (int partition = 0; partition < spec.partitions(); partition++) {
                request.put(new TopicPartition(spec.name(), partition), OffsetSpec.latest());
            }
        }
        // The client retries without a leader, but fails at once if a broker does not know the topic yet.
        long attempts = MAX_RETRIES;
        while (!request.isEmpty()) {
            try {
                get(admin.listOffsets(request).all(), "list offsets of new topics");
                return;
            } catch (KafkaFailure e) {
                if (!(e.getCause() instanceof RetriableException) || --attempts == 0) {
                    throw e;
                }
                pause(RETRY_PAUSE, "list offsets of new topics");
            }
        }
    }

    static void pause(Duration time, String action) {
        try {
            new CountDownLatch(1).await(time.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            throw interrupted(action, e);
        }
    }

    private static NewTopic toNewTopic(TopicSpec spec) {
        return new NewTopic(spec.name(), spec.partitions(), (short) spec.replication()).configs(spec.configs());
    }

    private static ConfigResource resource(String topic) {
        return new ConfigResource(ConfigResource.Type.TOPIC, topic);
    }

    /** Waits for an answer, at most 30 s. The action is a verb phrase for the error, such as {@code list topics}. */
    public static <T> T get(KafkaFuture<T> future, String action) {
        try {
            return future.get(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw new KafkaFailure("cannot " + action, e.getCause());
        } catch (TimeoutException e) {
            throw new KafkaFailure("cannot " + action, e);
        } catch (InterruptedException e) {
            throw interrupted(action, e);
        }
    }

    private static KafkaFailure interrupted(String action, InterruptedException e) {
        Thread.currentThread().interrupt();
        return new KafkaFailure("interrupted: cannot " + action, e);
    }
}
