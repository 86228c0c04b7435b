package io.spillway.cli;

import io.spillway.config.Configuration;
import io.spillway.config.ConfigurationLoader;
import io.spillway.core.item.Lane;
import io.spillway.guarantee.ExactlyOneLane;
import io.spillway.guarantee.KafkaUnderTest;
import io.spillway.kafka.topics.QueueAdmin;
import io.spillway.kafka.topics.QueueProgress;
import io.spillway.kafka.topics.Topics;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;

/**
 * The commands against the Kafka of one test, under names of its own, two partitions a queue.
 *
 * @param bootstrapServers of that Kafka
 * @param prefix           of all names
 * @param config           the configuration file that every command is given
 */
record CommandsUnderTest(String bootstrapServers, String prefix, Path config) {
    static final String SMALL =
            "topics:\n  partitions: 2\n  replication: 1\nmetrics:\n  port: 0\ngateway:\n  port: 0\n";

    static CommandsUnderTest on(KafkaUnderTest kafka, Path directory) {
        return new CommandsUnderTest(kafka.bootstrapServers(), kafka.prefix(), written(directory, SMALL));
    }

    static Path written(Path directory, String yaml) {
        try {
            return Files.writeString(Files.createDirectories(directory).resolve("test.yml"), yaml);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    CommandRun run(String... command) {
        return CommandRun.of(Stream.concat(Stream.of(command), Stream.of(options())).toArray(String[]::new));
    }

    /** Returns the options that every command gets. */
    String[] options() {
        return new String[] {
            "--config", config.toString(), "--bootstrap-servers", bootstrapServers, "--prefix", prefix
        };
    }

    /** The same for {@code run}, without a worker: what is routed stays in its lane. */
    String[] routerOptions() {
        return Stream.concat(Stream.of("--roles", "router"), Stream.of(options())).toArray(String[]::new);
    }

    Configuration configuration() {
        return ConfigurationLoader.load(Optional.of(config), Map.of(), Map.of(
                "kafka.bootstrapServers", bootstrapServers, "kafka.prefix", prefix));
    }

    Topics topics() {
        return new Topics(configuration().queue());
    }

    /** Returns when everything in ingress has been routed, and can be read where it is. */
    void awaitRouted(Admin admin) {
        QueueAdmin queues = new QueueAdmin(admin);
        while (behind(queues.read(topics().ingress(), topics().routerGroup())) > 0) {
            LockSupport.parkNanos(2_000_000);
        }
        ExactlyOneLane.awaitSettled(bootstrapServers, Stream.of(Lane.values()).map(topics()::lane).toList());
    }

    private static long behind(List<QueueProgress> queue) {
        return queue.stream().mapToLong(QueueProgress::behind).sum();
    }
}
