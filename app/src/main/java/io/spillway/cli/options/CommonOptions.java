package io.spillway.cli.options;

import io.spillway.cli.terminal.CommandFailure;
import io.spillway.config.Configuration;
import io.spillway.core.item.Lane;
import io.spillway.kafka.advice.SuggestedCommands;
import io.spillway.kafka.topics.Topics;
import io.spillway.runtime.Cluster;
import io.spillway.runtime.Endpoint;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import picocli.CommandLine.Option;

/** Options of a command that needs a cluster, and the configuration with that cluster. */
public final class CommonOptions extends ConfigurationOptions {
    private static final Path DEFAULT_DATA = Path.of(".spillway");

    @Option(names = "--bootstrap-servers", paramLabel = "HOST:PORT",
            description = "Address of the Kafka cluster. Default: kafka.bootstrapServers, or the process that runs "
                    + "here.")
    private String bootstrapServers;

    @Option(names = "--data", paramLabel = "DIR",
            description = "Data directory. Default: ${DEFAULT-VALUE}.", defaultValue = ".spillway")
    private Path data;

    public Path data() {
        return data;
    }

    /** Returns the given options with which another command uses the same configuration, each after a blank. */
    public String given() {
        StringBuilder given = new StringBuilder();
        append(given, "--config", file() == null ? null : file().toString());
        append(given, "--bootstrap-servers", bootstrapServers);
        append(given, "--prefix", prefix());
        append(given, "--data", data.equals(DEFAULT_DATA) ? null : data.toString());
        return given.toString();
    }

    private static void append(StringBuilder given, String option, String value) {
        if (value != null) {
            given.append(' ').append(option).append(' ').append(SuggestedCommands.quoted(value));
        }
    }

    @Override
    public Configuration configuration() {
        Map<String, String> overrides = new HashMap<>();
        overrides.put("kafka.bootstrapServers", bootstrapServers);
        return configuration(overrides);
    }

    /** Returns {@link #configurationWithCluster} with {@link #ledgerTopics}. */
    public Configuration configurationWithLedger() {
        return configurationWithCluster(CommonOptions::ledgerTopics);
    }

    /**
     * Returns {@link #configurationWithLedger}, of a queue with a trail.
     *
     * @param read what the trail is read for
     * @throws CommandFailure also if there is no trail
     */
    public Configuration configurationWithTrail(String read) {
        Configuration configuration = configurationWithLedger();
        if (configuration.topics().trailKept().isZero()) {
            throw CommandFailure.failed(read + " are not kept. Set topics.trail, to how long, in all processes and for "
                    + "the commands, and run: spillway topics create");
        }
        return configuration;
    }

    /** Returns the topics that audits, depths and item paths are read from. */
    public static List<String> ledgerTopics(Topics topics) {
        return List.of(topics.depths(), topics.ledger(), topics.timersChangelog(), topics.lane(Lane.HOT));
    }

    /**
     * Returns the configuration with a cluster that answers: the configured one, or that of DIR/endpoint, which
     * {@code run} writes.
     *
     * @param needed selects the topics that must exist
     * @throws CommandFailure if there is no cluster, it does not answer, or a topic is missing
     */
    public Configuration configurationWithCluster(Function<Topics, List<String>> needed) {
        Configuration configuration = configuration();
        String remedy = Cluster.ADDRESS_REMEDY;
        if (configuration.kafka().bootstrapServers().isEmpty()) {
            Path endpoint = data.resolve(Endpoint.FILE);
            String advice = ". Start `spillway run` here, or give --bootstrap-servers.";
            Endpoint running = Endpoint.read(data).orElseThrow(() -> CommandFailure.failed(
                    "No Kafka cluster is configured, and " + endpoint + " does not exist" + advice));
            configuration = running.in(configuration);
            remedy = "The address is from " + endpoint + advice;
        }
        Cluster.require(configuration, remedy, needed.apply(new Topics(configuration.queue())), given());
        return configuration;
    }
}
