package io.spillway.testing.broker;

import io.spillway.config.Configuration;
import io.spillway.config.ConfigurationLoader;
import io.spillway.core.item.ItemState;
import io.spillway.kafka.topics.KafkaClients;
import io.spillway.kafka.topics.TopicAdmin;
import io.spillway.kafka.topics.Topics;
import io.spillway.kafka.view.CompactedView;
import io.spillway.kafka.view.Depths;
import io.spillway.producer.ItemBuilder;
import io.spillway.runtime.Role;
import io.spillway.runtime.RunningSystem;
import io.spillway.runtime.Shutdown;
import io.spillway.runtime.StartOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.producer.Producer;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ExtensionContext.StoreScope;

/**
 * JUnit extension that gives each test a queue of its own, with a router, on an embedded broker, or on a
 * container if the configuration parameter {@value #CONTAINER} of JUnit names its image. The worker is the test's:
 *
 * <pre>{@code @RegisterExtension final SpillwayExtension spillway = new SpillwayExtension();}</pre>
 *
 * <p>All tests of a session share the broker, which starts with the first and stops at the end. A queue takes about two
 * seconds to start. Owner of the router, its directory and its clients. Not for tests in parallel with one instance.
 */
public final class SpillwayExtension implements BeforeEachCallback, AfterEachCallback {
    /** Configuration parameter of JUnit: image of the container, such as {@code apache/kafka:4.3.1}. */
    public static final String CONTAINER = "spillway.testing.container";

    private static final Duration START_TIMEOUT = Duration.ofSeconds(60);
    private static final long LOOK_EVERY_NANOS = 20_000_000;
    private static final int MAX_TENANTS = 100_000;

    private final Map<String, String> settings = new HashMap<>(Map.of(
            "topics.partitions", "4", "topics.replication", "1", "metrics.port", "0"));
    private Configuration configuration;
    private Topics topics;
    private Shutdown parts;
    private Path directory;
    private Depths depths;
    private Producer<byte[], byte[]> producer;
    private long sent;

    /**
     * Sets a setting of the router and the topics by its key in {@code docs/configuration.md}. Default: four
     * partitions, and what ships.
     */
    public SpillwayExtension with(String key, String value) {
        settings.put(Objects.requireNonNull(key, "key"), Objects.requireNonNull(value, "value"));
        return this;
    }

    /** Returns the address of the broker. */
    public String bootstrapServers() {
        return configuration.kafka().bootstrapServers();
    }

    /** Returns the prefix of this test's queue, which no other test has. */
    public String prefix() {
        return configuration.kafka().prefix();
    }

    /** Returns the name of the ingress topic, for a producer of the application. */
    public String ingress() {
        return topics.ingress();
    }

    /** Stores an item in ingress, and returns when the broker has it. */
    public void send(ItemBuilder item) {
        try {
            producer.send(item.toRecord(topics.ingress())).get();
            sent++;
        } catch (ExecutionException e) {
            throw new IllegalStateException("The broker did not store the item", e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while an item was sent", e);
        }
    }

    /**
     * Waits until every item of {@link #send} is done, dropped or a dead letter, those that wait for a retry included.
     * The counts come from the ledger, so this returns up to about a second later.
     *
     * @throws AssertionError when some are not after this time, with their number in each state
     */
    public void awaitDone(Duration patience) {
        awaitDone(sent, patience);
    }

    /**
     * Waits until no item waits and this many are done, dropped or dead letters: for items that the application sends.
     *
     * @param items of this test, also those of {@link #send}
     * @throws AssertionError when fewer are after this time, with their number in each state
     */
    public void awaitDone(long items, Duration patience) {
        long deadlineNanos = System.nanoTime() + patience.toNanos();
        while (finished() < items || waiting() > 0) {
            if (System.nanoTime() - deadlineNanos > 0) {
                throw new AssertionError("Not finished after " + patience + ": " + (items - finished()) + " of " + items
                        + " items. Waiting in " + ItemState.WAITING.stream()
                                .map(state -> state.label() + " " + depths.in(state)).collect(Collectors.joining(", "))
                        + ". Does a worker run?");
            }
            LockSupport.parkNanos(LOOK_EVERY_NANOS);
        }
    }

    /** Returns the items that are done, as the ledger has counted them so far. */
    public long done() {
        return depths.in(ItemState.DONE);
    }

    /** Returns the dead letters, as the ledger has counted them so far. */
    public long dead() {
        return depths.in(ItemState.DEAD_LETTER);
    }

    private long finished() {
        return done() + dead() + depths.in(ItemState.DROPPED);
    }

    private long waiting() {
        return ItemState.WAITING.stream().mapToLong(depths::in).sum();
    }

    private static SessionBroker inContainer(String image) {
        try {
            return ContainerBroker.start(image);
        } catch (NoClassDefFoundError e) {
            throw new IllegalStateException(CONTAINER + " is set, but Testcontainers is missing. Add"
                    + " org.testcontainers:testcontainers-kafka with the scope test, or remove the setting.", e);
        }
    }

    @Override
    public void beforeEach(ExtensionContext context) throws IOException {
        // In the store of the session, because a JVM that runs several classes has a root context for each.
        String bootstrapServers = context.getStore(StoreScope.LAUNCHER_SESSION, Namespace.create(getClass()))
                .computeIfAbsent("broker", key -> context.getConfigurationParameter(CONTAINER)
                        .filter(image -> !image.isEmpty())
                        .map(SpillwayExtension::inContainer)
                        .orElseGet(SessionBroker::embedded), SessionBroker.class)
                .bootstrapServers();
        Map<String, String> all = new HashMap<>(settings);
        all.put("kafka.bootstrapServers", bootstrapServers);
        all.put("kafka.prefix", "t" + HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextLong()));
        configuration = ConfigurationLoader.load(Optional.empty(), Map.of(), all);
        topics = new Topics(configuration.queue());
        directory = Files.createTempDirectory("spillway-testing-router");
        depths = new Depths();
        sent = 0;
        parts = new Shutdown();
        KafkaClients clients = new KafkaClients(configuration.queue());
        try (Admin admin = clients.admin()) {
            new TopicAdmin(admin).createMissing(topics.all());
        }
        RunningSystem.start(configuration, new StartOptions(directory, Set.of(Role.ROUTER), false, ""), parts);
        producer = parts.closing(clients.producer());
        parts.closing(new CompactedView(
                clients, topics.depths(), depths, MAX_TENANTS, Optional.empty(), InstantSource.system()))
                .start(START_TIMEOUT);
    }

    @Override
    public void afterEach(ExtensionContext context) {
        parts.close();
        SessionBroker.delete(directory);
    }
}
