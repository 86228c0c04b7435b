package io.spillway.kafka.topics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.core.progress.ProgressCodec;
import io.spillway.core.progress.ProgressState;
import io.spillway.guarantee.KafkaUnderTest;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

@Timeout(900) // Against a hang; nothing is measured.
class QueueAdminIT {
    @RegisterExtension
    final KafkaUnderTest kafka = new KafkaUnderTest();

    private String topic;
    private String group;
    private QueueAdmin queues;

    @BeforeEach
    void createQueue() throws Exception {
        topic = kafka.createTopic("queue", 2, Map.of("retention.ms", "-1"));
        group = kafka.prefix() + ".readers";
        queues = new QueueAdmin(kafka.admin());
    }

    @Test
    void a_queue_that_nobody_has_read_is_behind_by_all_that_is_in_it() throws Exception {
        send(0, 5);

        assertThat(queues.read(topic, group)).containsExactly(
                new QueueProgress(at(0), 0, 5, false, ProgressState.fresh(0)),
                new QueueProgress(at(1), 0, 0, false, ProgressState.fresh(0)));
        assertThat(queues.read(topic, group)).extracting(QueueProgress::waiting).containsExactly(5L, 0L);
        assertThat(queues.read(topic, group)).extracting(QueueProgress::behind).containsExactly(5L, 0L);
    }

    @Test
    void a_group_is_behind_by_what_it_has_not_committed_and_never_by_what_is_purged() throws Exception {
        send(0, 5);
        send(1, 3);
        commit(0, 2);
        commit(1, 3);
        assertThat(queues.read(topic, group)).extracting(QueueProgress::behind).containsExactly(3L, 0L);

        assertThat(queues.purgeFinished(topic, group)).isEqualTo(2);
        assertThat(queues.read(topic, group)).containsExactly(
                new QueueProgress(at(0), 2, 5, true, ProgressState.fresh(2)),
                new QueueProgress(at(1), 2, 3, true, ProgressState.fresh(3)));
        assertThat(queues.read(topic, group)).extracting(QueueProgress::waiting).containsExactly(3L, 0L);
        assertThat(queues.read(topic, group)).extracting(QueueProgress::behind).containsExactly(3L, 0L);
        assertThat(kafka.readAll(topic)).as("what is not finished stays, and the last of each partition")
                .hasSize(4);

        assertThat(queues.read(topic, "nobody")).extracting(QueueProgress::behind).containsExactly(3L, 1L);
        assertThat(new QueueProgress(at(0), 5, 9, true, ProgressState.fresh(2)).behind()).as("purged by others")
                .isEqualTo(4);
    }

    @Test
    void a_partition_is_readable_up_to_the_first_transaction_that_is_not_decided() throws Exception {
        send(0, 5);
        Map<String, Object> properties = Map.of(
                "bootstrap.servers", kafka.bootstrapServers(), "transactional.id", kafka.prefix() + ".undecided");
        try (KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(properties, new ByteArraySerializer(), new ByteArraySerializer())) {
            producer.initTransactions();
            producer.beginTransaction();
            producer.send(new ProducerRecord<>(topic, 0, null, new byte[1])).get();
            assertThat(readableEnds()).containsExactly(new ReadableEnd(at(0), 5, 6), new ReadableEnd(at(1), 0, 0));

            List<QueueProgress> before = queues.read(topic, group);
            producer.commitTransaction();
            // The commit returns before its marker is written.
            while (readableEnds().getFirst().readableTo() < 7) {
                LockSupport.parkNanos(2_000_000);
            }
            assertThat(readableEnds()).containsExactly(new ReadableEnd(at(0), 7, 7), new ReadableEnd(at(1), 0, 0));
            assertThat(queues.readableEnds(before)).as("it ended at 6").isEqualTo(readableEnds());
        }
    }

    @Test
    void purging_twice_or_without_a_commit_does_nothing() throws Exception {
        send(0, 5);
        assertThat(queues.purgeFinished(topic, group)).isZero();
        commit(0, 4);
        assertThat(queues.purgeFinished(topic, group)).isEqualTo(1);
        assertThat(queues.purgeFinished(topic, group)).isZero();

        assertThat(kafka.readAll(topic)).hasSize(1);
    }

    @Test
    void the_start_is_committed_for_exactly_the_partitions_that_are_given() throws Exception {
        send(0, 5);
        commit(0, 2);
        queues.purgeFinished(topic, group);
        String other = kafka.prefix() + ".others";
        queues.commitStart(other, List.of(), 3_000);
        assertThat(queues.read(topic, other)).noneMatch(QueueProgress::isCommitted);
        queues.commitStart(other, List.of(queues.read(topic, other).getFirst()), 3_000);

        assertThat(queues.read(topic, other)).containsExactly(
                new QueueProgress(at(0), 2, 5, true, ProgressState.fresh(2)),
                new QueueProgress(at(1), 0, 0, false, ProgressState.fresh(0)));
    }

    @Test
    void the_start_is_not_committed_under_a_group_that_is_at_work() throws Exception {
        try (var consumer = new KafkaConsumer<>(
                Map.of("bootstrap.servers", kafka.bootstrapServers(), "group.id", group, "enable.auto.commit", "false"),
                new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            consumer.subscribe(List.of(topic));
            while (consumer.assignment().isEmpty()) {
                consumer.poll(Duration.ofMillis(100));
            }
            assertThatThrownBy(() -> queues.commitStart(group, queues.read(topic, group), 3_000))
                    .isInstanceOf(KafkaFailure.class)
                    .hasMessageContaining("cannot commit first offsets of group " + group);
        }
    }

    @Test
    void what_continues_from_progress_of_a_later_release_is_refused_and_what_only_shows_it_is_not() throws Exception {
        send(0, 5);
        byte[] bytes = Base64.getUrlDecoder().decode(ProgressCodec.encode(ProgressState.fresh(2)));
        bytes[0] = 2;
        commit(0, new OffsetAndMetadata(2, Base64.getUrlEncoder().withoutPadding().encodeToString(bytes)));

        assertThat(queues.readProgress(topic, group, false)).extracting(QueueProgress::behind).containsExactly(3L, 0L);
        assertThatThrownBy(() -> queues.readProgress(topic, group, true)).isInstanceOf(KafkaFailure.class)
                .hasMessageContaining("has format 2 of a later release");
    }

    @Test
    void a_topic_that_is_missing_is_named() {
        assertThatThrownBy(() -> queues.read(kafka.prefix() + ".missing", group))
                .isInstanceOf(KafkaFailure.class)
                .hasMessageContaining("describe topic " + kafka.prefix() + ".missing");
    }

    private TopicPartition at(int partition) {
        return new TopicPartition(topic, partition);
    }

    private void commit(int partition, long offset) {
        commit(partition, new OffsetAndMetadata(offset));
    }

    private void commit(int partition, OffsetAndMetadata commit) {
        TopicAdmin.get(
                kafka.admin()
                        .alterConsumerGroupOffsets(group, Map.of(at(partition), commit))
                        .all(),
                "commit");
    }

    private void send(int partition, int count) throws Exception {
        try (var producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", kafka.bootstrapServers()),
                new ByteArraySerializer(),
                new ByteArraySerializer())) {
            for (int i = 0; i < count; i++) {
                producer.send(new ProducerRecord<>(topic, partition, null, new byte[] {(byte) i})).get();
            }
        }
    }

    private List<ReadableEnd> readableEnds() {
        return queues.readableEnds(queues.read(topic, group));
    }
}
