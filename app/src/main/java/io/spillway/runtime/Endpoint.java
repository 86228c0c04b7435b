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
 * Addresses of a running process, stored in DIR/endpoint for the other commands.
 *
 * @param gateway  URL of the gateway; empty if the process has none
 * @param kafka    {@code HOST:PORT}
 * @param metrics  URL of the metrics
 * @param embedded whether Kafka runs in the process; its topics then have one replica, whatever the configuration
 */
public record Endpoint(String gateway, String kafka, String metrics, long pid, boolean embedded) {
    public static final String FILE = "endpoint";

    /** Returns the endpoint of the running process; empty if there is none. */
    public static Optional<Endpoint> read(Path data) {
        Properties properties = new Properties();
        try (var reader = Files.newBufferedReader(data.resolve(FILE))) {
            properties.load(reader);
        } catch (NoSuchFileException e) {
            return Optional.empty();
        } catch (IOException e) {
            throw CommandFailure.failed(
                    "Cannot read " + data.resolve(FILE) + " (" + e.getMessage() + "). Check its permissions.");
        }
        String kafka = properties.getProperty("kafka", "");
        return kafka.isEmpty() ? Optional.empty() : Optional.of(new Endpoint(
                properties.getProperty("gateway", ""), kafka, properties.getProperty("metrics", ""),
                pidIn(properties.getProperty("pid", "")),
                Boolean.parseBoolean(properties.getProperty("embedded", "true"))));
    }

    /** Returns the configuration with the cluster of that process. */
    public Configuration in(Configuration configuration) {
        return configuration.on(kafka, embedded);
    }

    /** Writes the file atomically. */
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

    /** Returns 0 if the file was edited. */
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
