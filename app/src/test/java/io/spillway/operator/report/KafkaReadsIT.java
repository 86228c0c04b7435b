package io.spillway.operator.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.config.ConfigurationLoader;
import io.spillway.guarantee.KafkaUnderTest;
import io.spillway.kafka.topics.KafkaClients;
import io.spillway.kafka.topics.KafkaFailure;
import io.spillway.kafka.view.InstanceViews;
import io.spillway.kafka.view.ProgressMark;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

@Timeout(900) // Against a hang; nothing is measured.
class KafkaReadsIT {
    @RegisterExtension
    final KafkaUnderTest kafka = new KafkaUnderTest();

    private final AtomicLong nowMillis = new AtomicLong(1_800_000_000_000L);
    private KafkaClients clients;
    private KafkaReads reads;
    private KafkaProducer<byte[], byte[]> producer;

    @BeforeEach
    void open() {
        clients = new KafkaClients(ConfigurationLoader.load(Optional.empty(), Map.of(), Map.of(
                "kafka.bootstrapServers", kafka.bootstrapServers(), "kafka.prefix", kafka.prefix())).queue());
        reads = new KafkaReads(clients, () -> Instant.ofEpochMilli(nowMillis.get()));
        producer = clients.producer();
    }

    @AfterEach
    void close() {
        reads.close();
        producer.close();
    }

    @Test
    void the_newest_values_of_a_topic_are_read_with_their_times_and_without_removed_keys() throws Exception {
        String topic = kafka.createTopic("statuses", 2);
        assertThat(reads.latest(topic)).isEmpty();
        nowMillis.addAndGet(2_000);
        send(topic, 0, "a", "old", 1_000);
        send(topic, 0, "b", "gone", 1_000);
        send(topic, 1, "c", "only", 2_000);
        send(topic, 0, "a", "new", 3_000);
        send(topic, 0, "b", null, 4_000);

        Map<String, OperatorReads.Latest> latest = reads.latest(topic);
        assertThat(latest).containsOnlyKeys("a", "c");
        assertThat(latest.get("a").value()).asString(StandardCharsets.UTF_8).isEqualTo("new");
        assertThat(latest.get("a").atMillis()).isEqualTo(3_000);
        assertThat(latest.get("c").atMillis()).isEqualTo(2_000);

        send(topic, 1, "d", "newer", 5_000);
        nowMillis.addAndGet(1_999);
        assertThat(reads.latest(topic)).as("the same read for two seconds").isSameAs(latest);
        nowMillis.addAndGet(1);
        assertThat(reads.latest(topic)).containsOnlyKeys("a", "c", "d");
    }

    @Test
    void the_oldest_is_the_first_unfinished_record_of_all_partitions_of_a_topic() throws Exception {
        String hot = kafka.createTopic("hot", 2);
        String aged = kafka.createTopic("aged", 1);
        String group = kafka.prefix() + ".worker";
        Map<String, String> groups = Map.of(hot, group, aged, group);
        assertThat(reads.oldestMillis(groups)).isEmpty();
        assertThat(reads.behind(hot, group)).isZero();
        send(hot, 0, "k", "1", 5_000);
        send(hot, 0, "k", "2", 7_000);
        send(hot, 1, "k", "3", 6_000);
        send(aged, 0, "k", "4", 8_000);

        assertThat(reads.oldestMillis(groups)).isEqualTo(Map.of(hot, 5_000L, aged, 8_000L));
        assertThat(reads.behind(hot, group)).isEqualTo(3);
        commit(group, new TopicPartition(hot, 0), 1);
        assertThat(reads.oldestMillis(groups)).isEqualTo(Map.of(hot, 6_000L, aged, 8_000L));
        commit(group, new TopicPartition(hot, 1), 1);
        assertThat(reads.oldestMillis(groups)).isEqualTo(Map.of(hot, 7_000L, aged, 8_000L));
        commit(group, new TopicPartition(hot, 0), 2);
        assertThat(reads.oldestMillis(groups)).isEqualTo(Map.of(aged, 8_000L));
        assertThat(reads.behind(hot, group)).isZero();
        commit(group, new TopicPartition(aged, 0), 1);
        assertThat(reads.oldestMillis(groups)).isEmpty();
    }

    @Test
    void members_have_their_partitions_and_a_group_that_does_not_exist_has_none() throws Exception {
        String topic = kafka.createTopic("hot", 3);
        String group = kafka.prefix() + ".worker";
        assertThat(reads.members(group)).isEmpty();
        Map<String, Object> settings = Map.of(
                "bootstrap.servers", kafka.bootstrapServers(), ConsumerConfig.GROUP_ID_CONFIG, group,
                ConsumerConfig.CLIENT_ID_CONFIG, "w1", ConsumerConfig.GROUP_PROTOCOL_CONFIG, "consumer");
        try (var consumer = new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            consumer.subscribe(List.of(topic));
            while (consumer.assignment().size() < 3) {
                consumer.poll(Duration.ofMillis(20));
            }
            List<OperatorReads.GroupMember> members = reads.members(group);
            assertThat(members).hasSize(1);
            assertThat(members.getFirst().clientId()).isEqualTo("w1");
            assertThat(members.getFirst().partitions()).isEqualTo(Map.of(topic, List.of(0, 1, 2)));
        }
    }

    @Test
    void marks_are_those_of_the_instances_that_follow_the_topic() throws Exception {
        String topic = kafka.createTopic("policies", 1);
        assertThat(reads.marks(topic)).isEmpty();
        TopicPartition partition = new TopicPartition(topic, 0);
        commit(InstanceViews.groupOf(topic, "i1"), partition, new OffsetAndMetadata(0, "17 1.2.0"));
        commit(InstanceViews.groupOf(topic, "i2"), partition, new OffsetAndMetadata(0, "not a mark"));
        commit(kafka.prefix() + ".worker", partition, new OffsetAndMetadata(0, "18 9.9.9"));
        assertThat(reads.marks(topic)).isEqualTo(Map.of("i1", new ProgressMark(17, "1.2.0")));
    }

    @Test
    void a_failure_is_told_and_the_next_read_works() throws Exception {
        String topic = kafka.createTopic("statuses", 1);
        assertThatThrownBy(() -> reads.oldestMillis(Map.of(kafka.prefix() + ".missing", "g")))
                .isInstanceOf(KafkaFailure.class).hasMessageContaining(".missing");
        assertThat(reads.latest(topic)).isEmpty();
        reads.close();
        nowMillis.addAndGet(2_000);
        assertThatThrownBy(() -> reads.latest(topic)).isInstanceOf(KafkaFailure.class)
                .hasMessageContaining("the gateway is stopping");
    }

    private void send(String topic, int partition, String key, String value, long atMillis) throws Exception {
        producer.send(new ProducerRecord<>(topic, partition, atMillis, key.getBytes(StandardCharsets.UTF_8),
                value == null ? null : value.getBytes(StandardCharsets.UTF_8))).get();
    }

    private void commit(String group, TopicPartition partition, long offset) throws Exception {
        commit(group, partition, new OffsetAndMetadata(offset));
    }

    private void commit(String group, TopicPartition partition, OffsetAndMetadata offset) throws Exception {
        kafka.admin().alterConsumerGroupOffsets(group, Map.of(partition, offset)).all().get();
    }
}
