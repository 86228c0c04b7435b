package io.spillway.cli.options;

import io.spillway.cli.terminal.CommandFailure;
import io.spillway.cli.terminal.Printer;
import io.spillway.config.Configuration;
import io.spillway.config.ConfigurationLoader;
import io.spillway.core.item.Lane;
import io.spillway.kafka.topics.Topics;
import io.spillway.runtime.Cluster;
import io.spillway.runtime.Endpoint;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The options that every command has, and the configuration they lead to. */
public final class CommonOptions {
    private static final Path DEFAULT_FILE = Path.of("spillway.yml");

    /** How a command writes its result. */
    enum Output {
        TEXT,
        JSON
    }

    @Option(names = "--config", paramLabel = "FILE", description = "configuration (default: spillway.yml, when it exists)")
    private Path file;

    @Option(names = "--bootstrap-servers", paramLabel = "HOST:PORT", description = "the Kafka cluster")
    private String bootstrapServers;

    @Option(names = "--prefix", paramLabel = "PREFIX", description = "first part of all topic names (default: spillway)")
    private String prefix;

    @Option(names = "--data", paramLabel = "DIR", description = "data directory (default: ${DEFAULT-VALUE})", defaultValue = ".spillway")
    private Path data;

    @Option(names = "--output", paramLabel = "text|json", description = "how to print (default: text)", defaultValue = "text")
    private Output output;

    @Spec(Spec.Target.MIXEE)
    private CommandSpec command;

    /** Prints the results of the command that has these options. */
    public Printer printer() {
        return new Printer(command.commandLine().getOut(), command.commandLine().getErr(), isJson());
    }

    public boolean isJson() {
        return output == Output.JSON;
    }

    public Path data() {
        return data;
    }

    /** The configuration as it is written; the cluster may be missing in it. */
    public Configuration configuration() {
        if (file != null && !Files.exists(file)) {
            throw CommandFailure.usage("--config " + file + ": no such file");
        }
        Map<String, String> overrides = new HashMap<>();
        if (bootstrapServers != null) {
            overrides.put("kafka.bootstrapServers", bootstrapServers);
        }
        if (prefix != null) {
            overrides.put("kafka.prefix", prefix);
        }
        Optional<Path> chosen = Optional.ofNullable(file).or(() -> Optional.of(DEFAULT_FILE).filter(Files::exists));
        return ConfigurationLoader.load(chosen, System.getenv(), overrides);
    }

    /** As {@link #configurationWithCluster}, with the topics that an audit, a depth or a path of an item is read from. */
    public Configuration configurationWithLedger() {
        return configurationWithCluster(topics ->
                List.of(topics.depths(), topics.ledger(), topics.timersChangelog(), topics.lane(Lane.HOT)));
    }

    /**
     * The configuration with a cluster that answers: the one configured, else the one that {@code run} has left in
     * DIR/endpoint.
     *
     * @param needed topics that must be there, of those that the configuration names
     * @throws CommandFailure when there is no cluster, it does not answer, or a topic is missing
     */
    public Configuration configurationWithCluster(Function<Topics, List<String>> needed) {
        Configuration configuration = configuration();
        String remedy = Cluster.ADDRESS_REMEDY;
        if (configuration.kafka().bootstrapServers().isEmpty()) {
            Endpoint running = Endpoint.read(data)
                    .orElseThrow(() -> CommandFailure.failed("no Kafka to talk to: start `spillway run` here, or give "
                            + "--bootstrap-servers (looked for " + data.resolve(Endpoint.FILE) + ")"));
            configuration = running.in(configuration);
            remedy = "the address is from " + data.resolve(Endpoint.FILE) + "; start `spillway run` here, or give --bootstrap-servers";
        }
        Cluster.require(configuration, remedy, needed.apply(new Topics(configuration.queue())));
        return configuration;
    }
}
