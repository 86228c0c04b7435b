package io.spillway.testing.broker;

import io.spillway.embedded.EmbeddedKafka;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * Broker that all tests of a session share: embedded, with its data in a temporary directory, or in a container. Owner
 * of these.
 */
final class SessionBroker implements AutoCloseable {
    private final String bootstrapServers;
    private final Runnable stop;

    SessionBroker(String bootstrapServers, Runnable stop) {
        this.bootstrapServers = bootstrapServers;
        this.stop = stop;
    }

    static SessionBroker embedded() {
        try {
            Path directory = Files.createTempDirectory("spillway-testing-kafka");
            EmbeddedKafka kafka = EmbeddedKafka.start(directory, 0);
            return new SessionBroker(kafka.bootstrapServers(), () -> {
                kafka.close();
                delete(directory);
            });
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    String bootstrapServers() {
        return bootstrapServers;
    }

    @Override
    public void close() {
        stop.run();
    }

    /** Deletes a directory and all that is in it. */
    static void delete(Path directory) {
        try (Stream<Path> files = Files.walk(directory)) {
            List<Path> deepestFirst = files.sorted(Comparator.reverseOrder()).toList();
            for (Path file : deepestFirst) {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
