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
 * JUnit extension that provides a Kafka cluster and a unique prefix for each test:
 *
 * <pre>{@code @RegisterExtension final KafkaUnderTest kafka = new KafkaUnderTest();}</pre>
 *
 * <p>All tests of the JVM share the cluster, which stops at the end of the run; system properties select it (see
 * {@link TestCluster}). Topics whose names start with {@link #prefix} are deleted after the test. Owner of the admin
 * client of its test.
 */
public final class KafkaUnderTest implements BeforeEachCallback, AfterEachCallback {
    private static final Duration POLL = Duration.ofMillis(100);

    private String bootstrapServers;
    private String prefix;
    private Admin admin;

    @Override
    public void beforeEach(ExtensionContext context) {
        // In the store of the session, because a JVM that runs several classes has a root context for each.
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

    public String bootstrapServers() {
        return bootstrapServers;
    }

    /** Returns the unique prefix of this test's topics, groups and transactional ids. */
    public String prefix() {
        return prefix;
    }

    /** Returns an admin client, which is closed after the test. */
    public Admin admin() {
        return admin;
    }

    /**
     * Creates a topic and waits until records can be sent to it.
     *
     * @param name     name after the prefix and a dot
     * @param settings topic settings; empty for the broker's defaults
     * @return the full name
     */
    public String createTopic(String name, int partitions, Map<String, String> settings) throws Exception {
        String topic = prefix + "." + name;
        NewTopic declared = new NewTopic(topic, Optional.of(partitions), Optional.<Short>empty()).configs(settings);
        admin.createTopics(Set.of(declared)).all().get();
        // A new topic may have partitions without a leader, and sends to them can fail permanently.
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

    public String createTopic(String name, int partitions) throws Exception {
        return createTopic(name, partitions, Map.of());
    }

    /**
     * Returns the committed records of a topic, by partition and offset. Waits until all open transactions have ended:
     * a commit returns before its markers are written, so a read up to the first open transaction could miss records.
     *
     * @param topic full name of an existing topic
     */
    public List<ConsumerRecord<byte[], byte[]>> readAll(String topic) {
        return readAll(bootstrapServers, topic);
    }

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

    /** Uses a separate consumer, because one that reads committed records gets the end of those only. */
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
