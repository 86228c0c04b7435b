package io.spillway.testing.broker;

import io.spillway.embedded.EmbeddedKafka;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Embedded broker that all tests of a session share, with its data in a temporary directory. Owner of both. */
final class SessionBroker implements AutoCloseable {
    private final Path directory;
    private final EmbeddedKafka kafka;

    SessionBroker() {
        try {
            directory = Files.createTempDirectory("spillway-testing-kafka");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        kafka = EmbeddedKafka.start(directory, 0);
    }

    String bootstrapServers() {
        return kafka.bootstrapServers();
    }

    @Override
    public void close() {
        kafka.close();
        delete(directory);
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
