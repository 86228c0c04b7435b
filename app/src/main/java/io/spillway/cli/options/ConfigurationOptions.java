package io.spillway.cli.options;

import io.spillway.cli.terminal.CommandFailure;
import io.spillway.config.Configuration;
import io.spillway.config.ConfigurationLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import picocli.CommandLine.Option;

/** Options of a command that reads the configuration, and that configuration. */
public sealed class ConfigurationOptions extends OutputOptions permits CommonOptions {
    private static final Path DEFAULT_FILE = Path.of("spillway.yml");

    @Option(names = "--config", paramLabel = "FILE",
            description = "Configuration file. Default: spillway.yml, if it exists.")
    private Path file;

    @Option(names = "--prefix", paramLabel = "PREFIX",
            description = "First part of all topic names. Default: kafka.prefix.")
    private String prefix;

    /** Returns the file that was given, or null. */
    final Path file() {
        return file;
    }

    /** Returns the prefix that was given, or null. */
    final String prefix() {
        return prefix;
    }

    /** Returns the configuration as written; it may name no cluster. */
    public Configuration configuration() {
        return configuration(new HashMap<>());
    }

    /** @param overrides settings from other options by key; null values are ignored, and the map is changed */
    final Configuration configuration(Map<String, String> overrides) {
        if (file != null && !Files.exists(file)) {
            throw CommandFailure.usage("--config " + file + ": no such file. Give the path of an existing "
                    + "configuration file.");
        }
        overrides.put("kafka.prefix", prefix);
        overrides.values().removeIf(Objects::isNull);
        Optional<Path> chosen = Optional.ofNullable(file).or(() -> Optional.of(DEFAULT_FILE).filter(Files::exists));
        return ConfigurationLoader.load(chosen, System.getenv(), overrides);
    }
}
