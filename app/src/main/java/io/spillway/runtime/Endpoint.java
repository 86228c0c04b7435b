package io.spillway.runtime;

import io.spillway.cli.terminal.CommandFailure;
import io.spillway.config.Configuration;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Optional;
import java.util.Properties;

/**
 * Where a running process can be reached, as it stands in DIR/endpoint for the other commands.
 *
 * @param gateway  URL of the gateway; empty when the process has none
 * @param kafka    {@code HOST:PORT}
 * @param metrics  URL of the metrics
 * @param pid      of the process
 * @param embedded whether that Kafka is the process's own, whose topics have one replica whatever the configuration
 */
public record Endpoint(String gateway, String kafka, String metrics, long pid, boolean embedded) {
    public static final String FILE = "endpoint";

    /** What a running process has written; empty when none did. */
    public static Optional<Endpoint> read(Path data) {
        Properties properties = new Properties();
        try (var reader = Files.newBufferedReader(data.resolve(FILE))) {
            properties.load(reader);
        } catch (NoSuchFileException e) {
            return Optional.empty();
        } catch (IOException e) {
            throw CommandFailure.failed("cannot read " + data.resolve(FILE) + ": " + e.getMessage());
        }
        String kafka = properties.getProperty("kafka", "");
        return kafka.isEmpty()
                ? Optional.empty()
                : Optional.of(new Endpoint(
                        properties.getProperty("gateway", ""),
                        kafka,
                        properties.getProperty("metrics", ""),
                        pidIn(properties.getProperty("pid", "")),
                        Boolean.parseBoolean(properties.getProperty("embedded", "true"))));
    }

    /** The configuration with the cluster of that process. */
    public Configuration in(Configuration configuration) {
        Configuration there = configuration.withKafka(configuration.kafka().withBootstrapServers(kafka));
        return embedded ? there.withTopics(there.topics().withReplication(1)) : there;
    }

    /** Writes the file whole, so that no reader sees half of it. */
    public void write(Path data) {
        Path file = data.resolve(FILE);
        Path draft = data.resolve(FILE + ".new");
        try {
            Files.writeString(draft, "gateway=" + gateway + "\nkafka=" + kafka + "\nmetrics=" + metrics + "\npid=" + pid
                    + "\nembedded=" + embedded + "\n");
            Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write " + file, e);
        }
    }

    /** 0 when somebody has changed the file. */
    private static long pidIn(String text) {
        return text.matches("\\d{1,18}") ? Long.parseLong(text) : 0;
    }

    static void delete(Path data) {
        try {
            Files.deleteIfExists(data.resolve(FILE));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot delete " + data.resolve(FILE), e);
        }
    }
}
