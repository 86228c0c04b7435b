package io.spillway.kafka.topics;

import io.spillway.kafka.advice.SuggestedCommands;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.InvalidConfigurationException;
import org.apache.kafka.common.errors.InvalidReplicationFactorException;
import org.apache.kafka.common.errors.InvalidRequestException;
import org.apache.kafka.common.errors.PolicyViolationException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.TopicExistsException;

/**
 * Creation of Spillway's topics. The caller closes the admin client. Every method throws {@link KafkaFailure}
 * if the cluster refuses or does not answer.
 */
public final class TopicAdmin {
    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private static final Duration RETRY_PAUSE = Duration.ofMillis(50);
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

    /**
     * Creates the missing topics, waits until their partitions have leaders, and returns their names. Where the cluster
     * refuses a setting, such as one that its provider fixes, the topic gets those that it does not refuse.
     */
    public List<String> createMissing(Collection<TopicSpec> specs) {
        Set<String> existing = get(admin.listTopics().names(), "list topics");
        List<TopicSpec> missing = specs.stream().filter(spec -> !existing.contains(spec.name())).toList();
        List<TopicSpec> refused = new ArrayList<>();
        List<String> created = create(missing, refused);
        if (!refused.isEmpty()) {
            List<String> bare = create(refused.stream().map(TopicSpec::bare).toList(), new ArrayList<>());
            created.addAll(bare);
            refused.stream().filter(spec -> bare.contains(spec.name())).forEach(this::setWhatIsAllowed);
        }
        // A new topic may not have leaders yet; producing to it then can fail permanently.
        awaitLeaders(missing);
        return created;
    }

    /** Creates topics, returns their names, and adds those whose settings are refused. */
    private List<String> create(List<TopicSpec> missing, List<TopicSpec> refused) {
        Map<String, TopicSpec> byName = missing.stream().collect(Collectors.toMap(TopicSpec::name, spec -> spec));
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
                if (isRefusal(e.getCause()) && byName.get(name).isMoreThanBare()) {
                    refused.add(byName.get(name));
                    return;
                }
                // Another instance may create the same topic at the same time.
                if (!(e.getCause() instanceof TopicExistsException)) {
                    throw e;
                }
            }
        });
        return created;
    }

    private static boolean isRefusal(Throwable cause) {
        return cause instanceof PolicyViolationException || cause instanceof InvalidConfigurationException
                || cause instanceof InvalidRequestException;
    }

    private void setWhatIsAllowed(TopicSpec spec) {
        ConfigResource topic = resource(spec.name());
        spec.configs().forEach((key, value) -> {
            AlterConfigOp set = new AlterConfigOp(new ConfigEntry(key, value), AlterConfigOp.OpType.SET);
            try {
                get(admin.incrementalAlterConfigs(Map.of(topic, List.of(set))).all(), "set " + key);
            } catch (KafkaFailure e) {
                // The check says what differs, and what follows from it.
                if (!isRefusal(e.getCause()) && !(e.getCause() instanceof AuthorizationException)) {
                    throw e;
                }
            }
        });
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

    Map<ConfigResource, Config> configs(Collection<TopicSpec> specs) {
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
    static SortedMap<String, String> differing(TopicSpec spec, Config configs) {
        SortedMap<String, String> differing = new TreeMap<>();
        spec.configs().forEach((key, wanted) -> {
            String actual = valueOf(configs, key);
            if (!wanted.equals(actual)) {
                differing.put(key, actual);
            }
        });
        return differing;
    }

    static String valueOf(Config configs, String key) {
        ConfigEntry entry = configs.get(key);
        return entry == null || entry.value() == null ? "unset" : entry.value();
    }

    int brokers() {
        return get(admin.describeCluster().nodes(), "describe the cluster").size();
    }

    static String brokersText(int brokers) {
        return "the cluster has " + brokers + (brokers == 1 ? " broker" : " brokers");
    }

    static String setReplication(int replicas) {
        return ". Set topics.replication: " + replicas + " (or SPILLWAY_TOPICS_REPLICATION=" + replicas + ")";
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

    static ConfigResource resource(String topic) {
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
