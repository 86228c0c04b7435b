package io.spillway.cli;

import io.spillway.config.Configuration;
import io.spillway.config.ConfigurationLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Option;

/** The options that every command has, and the configuration they lead to. */
final class CommonOptions {
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

    boolean isJson() {
        return output == Output.JSON;
    }

    Path data() {
        return data;
    }

    /** The configuration as it is written; the cluster may be missing in it. */
    Configuration configuration() {
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

    /** The configuration with a cluster: the one configured, else the one that {@code run} has left in DIR/endpoint. */
    Configuration configurationWithCluster() {
        Configuration configuration = configuration();
        if (!configuration.kafka().bootstrapServers().isEmpty()) {
            return configuration;
        }
        String running = Endpoint.read(data)
                .map(Endpoint::kafka)
                .orElseThrow(() -> CommandFailure.failed("no Kafka to talk to: start `spillway run` here, or give "
                        + "--bootstrap-servers (looked for " + data.resolve(Endpoint.FILE) + ")"));
        return configuration
                .withKafka(configuration.kafka().withBootstrapServers(running))
                .withTopics(configuration.topics().withReplication(1));
    }
}
