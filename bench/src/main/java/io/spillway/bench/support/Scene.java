package io.spillway.bench.support;

import io.spillway.config.Configuration;
import io.spillway.config.ConfigurationLoader;
import io.spillway.core.item.Lane;
import io.spillway.kafka.topics.TopicAdmin;
import io.spillway.kafka.topics.TopicSettings;
import io.spillway.kafka.topics.TopicSpec;
import io.spillway.kafka.topics.Topics;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.config.TopicConfig;

/**
 * The topics of one run of one contender, under a prefix of their own: the router purges its ingress and refuses lanes
 * that it has not written itself. All contenders get the same topics with the same settings, as the router wants them.
 */
public final class Scene implements AutoCloseable {
    public static final int PARTITIONS = Integer.parseInt(TopicSettings.DEFAULT_PARTITIONS);
    public static final int THREADS = 2;
    /** Name of the source, if the input is one. */
    public static final String SOURCE = "bench";

    private final Admin admin;
    private final Configuration configuration;
    private final Topics topics;
    private final String input;
    private final List<String> created;

    private Scene(Admin admin, Configuration configuration, String input, boolean appendTime) {
        this.admin = admin;
        this.configuration = configuration;
        this.topics = new Topics(configuration.queue());
        this.input = input.isEmpty() ? topics.ingress() : input;
        Stream<TopicSpec> source = input.isEmpty() ? Stream.empty()
                : Stream.of(new TopicSpec(input, PARTITIONS, 1, Map.of()));
        this.created = new TopicAdmin(admin).createMissing(Stream.concat(topics.all().stream(), source)
                .map(spec -> forBench(spec, appendTime && spec.name().equals(output())))
                .toList());
    }

    /**
     * Creates the topics.
     *
     * @param appendTime whether the broker stamps what arrives in the output
     */
    public static Scene set(
            Admin admin, String bootstrapServers, String prefix, int commitIntervalMillis, boolean appendTime) {
        return set(
                admin, bootstrapServers, prefix, appendTime,
                Map.of("router.commitInterval", commitIntervalMillis + "ms"));
    }

    /** Creates the topics, with an input that is a source of the router. */
    public static Scene ofSource(
            Admin admin, String bootstrapServers, String prefix, int commitIntervalMillis, boolean appendTime) {
        return set(admin, bootstrapServers, prefix, appendTime, Map.of(
                "router.commitInterval", commitIntervalMillis + "ms",
                "router.sources." + SOURCE + ".topic", prefix + "-records",
                "router.sources." + SOURCE + ".tenant", "key"));
    }

    /**
     * Creates the topics.
     *
     * @param appendTime whether the broker stamps what arrives in the output
     * @param more       settings by key, over the defaults of the product and of the bench; an empty value leaves the
     *                   product's
     */
    public static Scene set(
            Admin admin, String bootstrapServers, String prefix, boolean appendTime, Map<String, String> more) {
        return new Scene(admin, configuration(bootstrapServers, prefix, more),
                more.getOrDefault("router.sources." + SOURCE + ".topic", ""), appendTime);
    }

    /** The configuration of the product in a scene with these settings. */
    public static Configuration configuration(String bootstrapServers, String prefix, Map<String, String> more) {
        Map<String, String> settings = new HashMap<>();
        settings.put("kafka.bootstrapServers", bootstrapServers);
        settings.put("kafka.prefix", prefix);
        settings.put("topics.partitions", Integer.toString(PARTITIONS));
        settings.put("topics.replication", "1");
        settings.put("router.threads", Integer.toString(THREADS));
        // Everything goes to hot, on however slow a machine.
        settings.put("defaults.agedAfter", "1h");
        settings.putAll(more);
        settings.values().removeIf(String::isEmpty);
        return ConfigurationLoader.load(Optional.empty(), fromEnvironment(), settings);
    }

    /** These variables hold in a bench too, to try settings of the router and the worker. */
    private static Map<String, String> fromEnvironment() {
        Map<String, String> settings = new HashMap<>(System.getenv());
        settings.keySet().removeIf(name -> !name.matches("SPILLWAY_(ROUTER|WORKER)_.*"));
        return settings;
    }

    public Admin admin() {
        return admin;
    }

    public Configuration configuration() {
        return configuration;
    }

    public Topics topics() {
        return topics;
    }

    public String bootstrapServers() {
        return configuration.kafka().bootstrapServers();
    }

    public String prefix() {
        return configuration.kafka().prefix();
    }

    public String input() {
        return input;
    }

    public String output() {
        return topics.lane(Lane.HOT);
    }

    public long commitIntervalMillis() {
        return configuration.router().commitInterval().toMillis();
    }

    @Override
    public void close() {
        try {
            admin.deleteTopics(created).all().get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException e) {
            throw new IllegalStateException("cannot delete the topics of " + prefix(), e);
        }
    }

    private static TopicSpec forBench(TopicSpec spec, boolean appendTime) {
        Map<String, String> configs = new HashMap<>(spec.configs());
        // Gone from the disk as soon as deleted, so that later rounds do not pay for it.
        configs.put(TopicConfig.FILE_DELETE_DELAY_MS_CONFIG, "100");
        if (appendTime) {
            configs.put(TopicConfig.MESSAGE_TIMESTAMP_TYPE_CONFIG, "LogAppendTime");
        }
        return new TopicSpec(spec.name(), spec.partitions(), spec.replication(), configs);
    }
}
