package io.spillway.guarantee;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.LeaderNotAvailableException;
import org.apache.kafka.common.errors.NotLeaderOrFollowerException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ExtensionContext.StoreScope;

/**
 * Gives each test a Kafka and names of its own on it:
 *
 * <pre>{@code @RegisterExtension final KafkaUnderTest kafka = new KafkaUnderTest();}</pre>
 *
 * <p>The cluster is shared by all tests of the JVM and stopped at the end of the run; which one it is, is chosen by
 * system properties (see {@link TestCluster}). Topics whose names start with {@link #prefix} are deleted after the
 * test. Owns the admin client of the test it is used in; a test in parallel has another instance.
 */
public final class KafkaUnderTest implements BeforeEachCallback, AfterEachCallback {
    private static final Duration POLL = Duration.ofMillis(100);

    private String bootstrapServers;
    private String prefix;
    private Admin admin;

    @Override
    public void beforeEach(ExtensionContext context) {
        // Of the session: a JVM that takes one class after the other has a root context for each.
        bootstrapServers = context.getStore(StoreScope.LAUNCHER_SESSION, Namespace.create(KafkaUnderTest.class))
                .computeIfAbsent("cluster", key -> TestCluster.start(), TestCluster.class)
                .bootstrapServers();
        prefix = "t" + HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextLong());
        admin = Admin.create(Map.of("bootstrap.servers", bootstrapServers));
    }

    @Override
    public void afterEach(ExtensionContext context) throws Exception {
        try (Admin closing = admin) {
            closing.deleteTopics(closing.listTopics().names().get().stream()
                            .filter(topic -> topic.startsWith(prefix))
                            .toList())
                    .all()
                    .get();
        }
    }

    /** Where clients connect. */
    public String bootstrapServers() {
        return bootstrapServers;
    }

    /** What the names of this test's topics, groups and transactional ids start with; no other test has it. */
    public String prefix() {
        return prefix;
    }

    /** An admin client, closed after the test. */
    public Admin admin() {
        return admin;
    }

    /**
     * Creates a topic with one replica and returns when records can be sent to it.
     *
     * @param name what follows the prefix and a dot
     * @param settings topic settings; empty for the broker's defaults
     * @return the whole name
     */
    public String createTopic(String name, int partitions, Map<String, String> settings) throws Exception {
        String topic = prefix + "." + name;
        NewTopic declared = new NewTopic(topic, Optional.of(partitions), Optional.<Short>empty()).configs(settings);
        admin.createTopics(Set.of(declared)).all().get();
        // A topic that was created may have partitions without a leader, and sending to them can fail for good.
        while (true) {
            try {
                endOffsets(topic, partitions);
                return topic;
            } catch (ExecutionException e) {
                if (!(e.getCause() instanceof UnknownTopicOrPartitionException
                        || e.getCause() instanceof LeaderNotAvailableException
                        || e.getCause() instanceof NotLeaderOrFollowerException)) {
                    throw e;
                }
            }
        }
    }

    /** As {@link #createTopic(String, int, Map)} with the broker's default settings. */
    public String createTopic(String name, int partitions) throws Exception {
        return createTopic(name, partitions, Map.of());
    }

    /**
     * The committed records of what a topic holds now, by partition and offset. Waits until every transaction that is
     * open there is decided: a commit returns to its producer before its markers are written, so reading only up to the
     * first open transaction could miss what a test has committed already.
     *
     * @param topic the whole name of a topic that exists
     */
    public List<ConsumerRecord<byte[], byte[]>> readAll(String topic) {
        return readAll(bootstrapServers, topic);
    }

    /** As {@link #readAll(String)}, from another cluster. */
    public static List<ConsumerRecord<byte[], byte[]>> readAll(String bootstrapServers, String topic) {
        Map<String, Object> settings = Map.of(
                "bootstrap.servers", bootstrapServers,
                "isolation.level", "read_committed",
                "enable.auto.commit", "false",
                "auto.offset.reset", "none");
        List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
        try (var consumer = new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            List<TopicPartition> partitions = consumer.partitionsFor(topic).stream()
                    .map(partition -> new TopicPartition(topic, partition.partition()))
                    .toList();
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            Map<TopicPartition, Long> ends = highWatermarks(bootstrapServers, partitions);
            while (ends.entrySet().stream().anyMatch(end -> consumer.position(end.getKey()) < end.getValue())) {
                consumer.poll(POLL).forEach(records::add);
            }
            records.removeIf(record -> record.offset() >= ends.get(new TopicPartition(topic, record.partition())));
        }
        records.sort(Comparator.<ConsumerRecord<byte[], byte[]>>comparingInt(ConsumerRecord::partition)
                .thenComparingLong(ConsumerRecord::offset));
        return List.copyOf(records);
    }

    /** A consumer that reads committed records asks for the end of those; a plain one for the end of all. */
    private static Map<TopicPartition, Long> highWatermarks(String bootstrapServers, List<TopicPartition> partitions) {
        try (var consumer = new KafkaConsumer<>(
                Map.<String, Object>of("bootstrap.servers", bootstrapServers),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer())) {
            return consumer.endOffsets(partitions);
        }
    }

    private void endOffsets(String topic, int partitions) throws Exception {
        admin.listOffsets(IntStream.range(0, partitions)
                        .boxed()
                        .collect(Collectors.toMap(
                                partition -> new TopicPartition(topic, partition), partition -> OffsetSpec.latest())))
                .all()
                .get();
    }
}
