package io.spillway.cli.options;

import io.spillway.cli.terminal.CommandFailure;
import io.spillway.cli.terminal.Printer;
import io.spillway.config.Configuration;
import io.spillway.config.ConfigurationLoader;
import io.spillway.core.item.Lane;
import io.spillway.kafka.topics.SuggestedCommands;
import io.spillway.kafka.topics.Topics;
import io.spillway.runtime.Cluster;
import io.spillway.runtime.Endpoint;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Options that every command has, and the configuration that results from them. */
public final class CommonOptions {
    private static final Path DEFAULT_FILE = Path.of("spillway.yml");
    private static final Path DEFAULT_DATA = Path.of(".spillway");

    enum Output {
        TEXT,
        JSON
    }

    @Option(names = "--config", paramLabel = "FILE",
            description = "Configuration file. Default: spillway.yml, if it exists.")
    private Path file;

    @Option(names = "--bootstrap-servers", paramLabel = "HOST:PORT",
            description = "Address of the Kafka cluster. Default: kafka.bootstrapServers, or the process that runs "
                    + "here.")
    private String bootstrapServers;

    @Option(names = "--prefix", paramLabel = "PREFIX",
            description = "First part of all topic names. Default: kafka.prefix.")
    private String prefix;

    @Option(names = "--data", paramLabel = "DIR",
            description = "Data directory. Default: ${DEFAULT-VALUE}.", defaultValue = ".spillway")
    private Path data;

    @Option(names = "--output", paramLabel = "text|json",
            description = "Output format. Default: ${DEFAULT-VALUE}.", defaultValue = "text")
    private Output output;

    @Spec(Spec.Target.MIXEE)
    private CommandSpec command;

    /** Returns the printer for the results of this command. */
    public Printer printer() {
        return new Printer(command.commandLine().getOut(), command.commandLine().getErr(), isJson());
    }

    public boolean isJson() {
        return output == Output.JSON;
    }

    /** Returns the clock of this command. */
    public InstantSource clock() {
        return InstantSource.system();
    }

    public Path data() {
        return data;
    }

    /** Returns the given options with which another command uses the same configuration, each after a blank. */
    public String given() {
        StringBuilder given = new StringBuilder();
        append(given, "--config", file == null ? null : file.toString());
        append(given, "--bootstrap-servers", bootstrapServers);
        append(given, "--prefix", prefix);
        append(given, "--data", data.equals(DEFAULT_DATA) ? null : data.toString());
        return given.toString();
    }

    private static void append(StringBuilder given, String option, String value) {
        if (value != null) {
            given.append(' ').append(option).append(' ').append(SuggestedCommands.quoted(value));
        }
    }

    /** Returns the configuration as written; it may name no cluster. */
    public Configuration configuration() {
        if (file != null && !Files.exists(file)) {
            throw CommandFailure.usage("--config " + file + ": no such file. Give the path of an existing "
                    + "configuration file.");
        }
        Map<String, String> overrides = new HashMap<>();
        overrides.put("kafka.bootstrapServers", bootstrapServers);
        overrides.put("kafka.prefix", prefix);
        overrides.values().removeIf(Objects::isNull);
        Optional<Path> chosen = Optional.ofNullable(file).or(() -> Optional.of(DEFAULT_FILE).filter(Files::exists));
        return ConfigurationLoader.load(chosen, System.getenv(), overrides);
    }

    /** Returns {@link #configurationWithCluster} with the topics that audits, depths and item paths are read from. */
    public Configuration configurationWithLedger() {
        return configurationWithCluster(topics ->
                List.of(topics.depths(), topics.ledger(), topics.timersChangelog(), topics.lane(Lane.HOT)));
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
