package io.spillway.guarantee;

import io.spillway.embedded.EmbeddedKafka;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.testcontainers.kafka.KafkaContainer;

/**
 * Kafka cluster that all tests of this JVM share: embedded, unless {@code -Dspillway.test.bootstrap=HOST:PORT} names a
 * cluster or {@code -Dspillway.test.kafka=testcontainers} requests a container. Owner of the cluster that it starts.
 */
final class TestCluster implements AutoCloseable {
    private final String bootstrapServers;
    private final Runnable stop;

    private TestCluster(String bootstrapServers, Runnable stop) {
        this.bootstrapServers = bootstrapServers;
        this.stop = stop;
    }

    static TestCluster start() {
        // The build passes both properties, empty by default.
        String bootstrapServers = System.getProperty("spillway.test.bootstrap", "");
        String kind = System.getProperty("spillway.test.kafka", "");
        if (!bootstrapServers.isEmpty()) {
            return new TestCluster(bootstrapServers, () -> {});
        }
        return switch (kind) {
            case "", "embedded" -> embedded();
            case "testcontainers" -> container();
            default -> throw new IllegalArgumentException(
                    "spillway.test.kafka is '" + kind + "': must be 'embedded', 'testcontainers' or empty");
        };
    }

    String bootstrapServers() {
        return bootstrapServers;
    }

    @Override
    public void close() {
        stop.run();
    }

    private static TestCluster embedded() {
        try {
            Path directory = Files.createTempDirectory("spillway-test-kafka");
            EmbeddedKafka kafka = EmbeddedKafka.start(directory, 0);
            return new TestCluster(kafka.bootstrapServers(), () -> {
                kafka.close();
                delete(directory);
            });
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @SuppressWarnings("resource") // Stopped by close().
    private static TestCluster container() {
        KafkaContainer kafka = new KafkaContainer(
                required("spillway.test.kafka.image") + ":" + required("spillway.test.kafka.version"))
                .withEnv("KAFKA_AUTO_CREATE_TOPICS_ENABLE", "false")
                .withEnv("KAFKA_GROUP_STREAMS_INITIAL_REBALANCE_DELAY_MS", "0");
        for (String protocol : List.of("CONSUMER", "STREAMS")) {
            kafka.withEnv("KAFKA_GROUP_" + protocol + "_MIN_HEARTBEAT_INTERVAL_MS", "100")
                    .withEnv("KAFKA_GROUP_" + protocol + "_HEARTBEAT_INTERVAL_MS", "500")
                    .withEnv("KAFKA_GROUP_" + protocol + "_MIN_SESSION_TIMEOUT_MS", "1000")
                    .withEnv("KAFKA_GROUP_" + protocol + "_SESSION_TIMEOUT_MS", "10000");
        }
        kafka.start();
        return new TestCluster(kafka.getBootstrapServers(), kafka::stop);
    }

    /** Returns a property that the build passes. */
    private static String required(String property) {
        String value = System.getProperty(property, "");
        if (value.isEmpty()) {
            throw new IllegalArgumentException(property + " is empty: name the image of Kafka and its version, as the"
                    + " pom does");
        }
        return value;
    }

    private static void delete(Path directory) {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
