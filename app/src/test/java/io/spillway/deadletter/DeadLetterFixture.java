package io.spillway.deadletter;

import io.spillway.config.Configuration;
import io.spillway.config.ConfigurationLoader;
import io.spillway.core.item.Lane;
import io.spillway.guarantee.KafkaUnderTest;
import io.spillway.kafka.codec.ItemHeaders;
import io.spillway.kafka.codec.RecordCodec;
import io.spillway.kafka.topics.KafkaClients;
import io.spillway.kafka.topics.TopicAdmin;
import io.spillway.kafka.topics.Topics;
import io.spillway.schema.WorkItem;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;

/** Dead letters in two partitions on a test's Kafka, with the headers that a worker writes. */
public final class DeadLetterFixture {
    public static final DeadLetterFilter ALL = new DeadLetterFilter(
            Optional.empty(), Optional.empty(), OptionalLong.empty(), OptionalLong.empty(), Set.of(), Set.of());
    /** Never stops a run and ignores its progress. */
    public static final ScanListener UNWATCHED = new ScanListener() {};
    static final int PARTITIONS = 2;
    static final long DEAD_AT = 1_790_000_000_000L;

    private final KafkaUnderTest kafka;
    private final Configuration configuration;
    private final Topics topics;
    private final RecordCodec<WorkItem> codec = new RecordCodec<>(new WorkItem());

    public DeadLetterFixture(KafkaUnderTest kafka) {
        this.kafka = kafka;
        this.configuration = ConfigurationLoader.load(Optional.empty(), settings(kafka), Map.of());
        this.topics = new Topics(configuration.queue());
        new TopicAdmin(kafka.admin()).createMissing(topics.all());
    }

    public static Map<String, String> settings(KafkaUnderTest kafka) {
        return Map.of(
                "SPILLWAY_KAFKA_BOOTSTRAP_SERVERS", kafka.bootstrapServers(),
                "SPILLWAY_KAFKA_PREFIX", kafka.prefix(),
                "SPILLWAY_TOPICS_PARTITIONS", Integer.toString(PARTITIONS),
                "SPILLWAY_TOPICS_REPLICATION", "1",
                "SPILLWAY_METRICS_PORT", "0");
    }

    Configuration configuration() {
        return configuration;
    }

    Topics topics() {
        return topics;
    }

    /** Writes dead letters with the ids id-0, id-1 and so on, matching origins, and partition i mod 2. */
    public void bury(int count, java.util.function.IntFunction<String> tenant) {
        List<ProducerRecord<byte[], byte[]>> records = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            records.add(dead(i, tenant.apply(i), item(tenant.apply(i), "id-" + i, "payload " + i), "attempts-used-up"));
        }
        send(records);
    }

    byte[] item(String tenant, String id, String payload) {
        return codec.encode(new WorkItem(tenant, id, Instant.ofEpochMilli(1_780_000_000_000L), "", null, "text/plain",
                Map.of(), ByteBuffer.wrap(bytes(payload))));
    }

    ProducerRecord<byte[], byte[]> dead(int i, String tenant, byte[] value, String reason) {
        ProducerRecord<byte[], byte[]> record = new ProducerRecord<>(
                topics.lane(Lane.DEAD_LETTER), i % PARTITIONS, 1_785_000_000_000L + i, bytes(tenant), value);
        record.headers()
                .add("traceparent", bytes("trace-" + i))
                .add(ItemHeaders.ORIGIN, bytes(origin(i)))
                .add(ItemHeaders.ATTEMPT, bytes("5"))
                .add(ItemHeaders.BLAME, bytes("4000"))
                .add(ItemHeaders.WAIT, bytes("700"))
                .add(ItemHeaders.DESTINATION, bytes("mail.example.org:25"))
                .add(ItemHeaders.MOVES, bytes("2"))
                .add(ItemHeaders.LANE_REASON, bytes("retry"))
                .add(ItemHeaders.FIRST_ATTEMPT_AT, bytes("1786000000000"))
                .add(ItemHeaders.DEAD_REASON, bytes(reason))
                .add(ItemHeaders.DEAD_DETAIL, bytes("no \u001b[31m luck"))
                .add(ItemHeaders.DEAD_STAGE, bytes("worker"))
                .add(ItemHeaders.DEAD_AT, bytes(Long.toString(DEAD_AT + i * 1000L)))
                .add(ItemHeaders.ORIGIN_TOPIC, bytes(topics.lane(Lane.HOT)))
                .add(ItemHeaders.ORIGIN_PARTITION, bytes("1"))
                .add(ItemHeaders.ORIGIN_OFFSET, bytes("77"));
        return record;
    }

    String origin(int i) {
        return topics.ingress() + "-" + i % PARTITIONS + "-" + i;
    }

    /** Writes dead letters in a transaction, as routers and workers do. */
    void send(List<ProducerRecord<byte[], byte[]>> records) {
        try (Producer<byte[], byte[]> producer = new KafkaClients(configuration.queue()).producer(
                Map.of(ProducerConfig.TRANSACTIONAL_ID_CONFIG, topics.replayGroup() + "-test"))) {
            producer.initTransactions();
            producer.beginTransaction();
            records.forEach(producer::send);
            producer.commitTransaction();
        }
    }

    List<ConsumerRecord<byte[], byte[]>> delayed() {
        return kafka.readAll(topics.lane(Lane.DELAY));
    }

    /** Returns the ids of the unfinished dead letters. */
    List<String> waiting() {
        // Waits for the transaction markers: a commit returns before they are written.
        kafka.readAll(topics.lane(Lane.DEAD_LETTER));
        List<String> ids = new ArrayList<>();
        try (DeadLetters letters = new DeadLetters(configuration, Instant::now)) {
            letters.forEach(ALL, UNWATCHED, letter -> ids.add(letter.id()));
        }
        return ids;
    }

    static String header(ConsumerRecord<byte[], byte[]> record, String name) {
        Header header = record.headers().lastHeader(name);
        return header == null ? null : new String(header.value(), StandardCharsets.UTF_8);
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
