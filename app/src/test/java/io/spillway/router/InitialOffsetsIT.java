package io.spillway.router;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.config.Configuration;
import io.spillway.config.ConfigurationLoader;
import io.spillway.core.item.Lane;
import io.spillway.guarantee.KafkaUnderTest;
import io.spillway.kafka.topics.InitialOffsets;
import io.spillway.kafka.topics.KafkaClients;
import io.spillway.kafka.topics.PartitionReader;
import io.spillway.kafka.topics.QueueAdmin;
import io.spillway.kafka.topics.QueueProgress;
import io.spillway.kafka.topics.TopicAdmin;
import io.spillway.kafka.topics.Topics;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(900) // Only against a hang.
class InitialOffsetsIT {
    @RegisterExtension
    final KafkaUnderTest kafka = new KafkaUnderTest();

    private Configuration configuration;
    private Topics topics;
    private QueueAdmin queues;
    private TopicPartition delay;

    @BeforeEach
    void createTopics() {
        configuration = ConfigurationLoader.load(Optional.empty(), Map.of(), Map.of(
                "kafka.bootstrapServers", kafka.bootstrapServers(), "kafka.prefix", kafka.prefix(),
                "topics.partitions", "2", "topics.replication", "1"));
        topics = new Topics(configuration.queue());
        queues = new QueueAdmin(kafka.admin());
        new TopicAdmin(kafka.admin()).createMissing(topics.all());
        delay = new TopicPartition(topics.lane(Lane.DELAY), 1);
    }

    @Test
    void the_first_commit_is_the_start_of_ingress_and_delay_and_a_second_changes_nothing() {
        commit();
        commit();

        for (String topic : List.of(topics.ingress(), topics.lane(Lane.DELAY))) {
            assertThat(queues.read(topic, topics.routerGroup())).hasSize(2)
                    .allMatch(queue -> queue.isCommitted() && queue.progress().frontier() == 0);
        }
    }

    @Test
    void a_delay_partition_without_an_offset_counts_as_new_unless_its_records_were_purged() throws Exception {
        commit();
        forget(delay);
        commit();

        forget(delay);
        send(delay.topic());
        send(delay.topic());
        purge(delay, 1);
        assertThatThrownBy(this::commit)
                .isInstanceOf(RouterException.class).hasMessageContaining("has lost its offsets for " + delay);
    }

    @Test
    void a_delay_lane_without_offsets_counts_as_new_unless_timers_were_stored() throws Exception {
        commit();
        forget(delay, new TopicPartition(delay.topic(), 0));
        send(delay.topic());
        commit();

        forget(delay, new TopicPartition(delay.topic(), 0));
        send(topics.timersChangelog());
        assertThatThrownBy(this::commit)
                .isInstanceOf(RouterException.class).hasMessageContaining("has lost its offsets for " + delay.topic());
    }

    @Test
    void ingress_without_offsets_counts_as_new_unless_a_lane_had_an_item_whatever_an_aborted_transaction_left()
            throws Exception {
        TopicPartition hot = new TopicPartition(topics.lane(Lane.HOT), 1);
        send(topics.ingress());
        sendInTransaction(hot, false);
        commit();

        forget(new TopicPartition(topics.ingress(), 0), new TopicPartition(topics.ingress(), 1));
        sendInTransaction(hot, true);
        assertThatThrownBy(this::commit).isInstanceOf(RouterException.class)
                .hasMessageContaining("has lost its offsets for " + topics.ingress());
    }

    @ParameterizedTest(name = "with an item in overflow: {0}")
    @ValueSource(booleans = {false, true})
    void a_router_that_began_and_died_while_another_one_waited_for_a_transaction_keeps_its_offsets(boolean moved)
            throws Exception {
        TopicPartition hot = new TopicPartition(topics.lane(Lane.HOT), 1);
        send(topics.ingress());
        Thread slow = new Thread(this::commit);
        AtomicReference<Throwable> failure = new AtomicReference<>();
        slow.setUncaughtExceptionHandler((thread, thrown) -> failure.set(thrown));
        try (Producer<byte[], byte[]> foreign = beginTransaction(hot)) {
            foreign.flush();
            slow.start();
            while (Stream.of(slow.getStackTrace()).noneMatch(
                    frame -> frame.getClassName().equals(PartitionReader.class.getName()))) {
                Thread.sleep(1);
            }
            commit(1, topics.ingress());
            commit(0, topics.lane(Lane.DELAY), topics.ledger());
            if (moved) {
                send(topics.lane(Lane.OVERFLOW));
            }
            foreign.abortTransaction();
        }
        slow.join();

        assertThat(failure).hasNullValue();
        assertThat(queues.read(topics.ingress(), topics.routerGroup()))
                .extracting(queue -> queue.progress().frontier()).containsExactly(1L, 1L);
    }

    @Test
    void a_router_that_was_suspended_between_its_check_and_its_commit_keeps_the_offsets_of_one_that_began_and_died() {
        AtomicInteger looks = new AtomicInteger();
        InstantSource suspendedAfterTheCheck = () -> {
            if (looks.incrementAndGet() == 2) {
                commit(1, topics.ingress());
                commit(0, topics.lane(Lane.DELAY), topics.ledger());
            }
            return Instant.ofEpochMilli(looks.get() < 2 ? 0 : 10_000);
        };
        new InitialOffsets(new KafkaClients(configuration.queue()), queues, topics, suspendedAfterTheCheck,
                RouterException::new).commitForRouters();

        assertThat(queues.read(topics.ingress(), topics.routerGroup()))
                .extracting(queue -> queue.progress().frontier()).containsExactly(1L, 1L);
        assertThat(queues.read(topics.schedules(), topics.routerGroup())).allMatch(QueueProgress::isCommitted);
    }

    @Test
    void a_lane_that_lost_its_offsets_begins_again_if_only_the_marker_of_a_transaction_is_left() throws Exception {
        TopicPartition hot = new TopicPartition(topics.lane(Lane.HOT), 1);
        initial().commitForWorkers();
        sendInTransaction(hot, true);
        purge(hot, 1);
        kafka.admin().deleteConsumerGroups(List.of(topics.workerGroup())).all().get();
        assertThatThrownBy(() -> initial().commitForWorkers()).as("an item").isInstanceOf(RouterException.class)
                .hasMessageContaining("has lost its offsets for " + hot + ". It");

        purge(hot, 2);
        initial().commitForWorkers();
        assertThat(queues.read(hot.topic(), topics.workerGroup())).allMatch(QueueProgress::isCommitted)
                .extracting(queue -> queue.progress().frontier()).containsExactly(0L, 2L);
    }

    @Test
    void a_router_is_refused_while_running_ones_read_other_topics() {
        commit();
        try (var running = member(topics.ingress(), topics.attempts())) {
            assertThat(running.assignment()).isNotEmpty();
            assertThatThrownBy(this::commit).isInstanceOf(RouterException.class)
                    .hasMessageContaining("read " + topics.attempts() + ", which this one does not")
                    .hasMessageContaining("Stop all members of the group");
        }
        commit();
    }

    @Test
    void a_topic_that_running_routers_do_not_read_is_refused_with_words() throws Exception {
        commit();
        forget(delay, new TopicPartition(delay.topic(), 0));
        try (var running = member(topics.ingress())) {
            assertThat(running.assignment()).isNotEmpty();
            assertThatThrownBy(this::commit).isInstanceOf(RouterException.class)
                    .hasMessageContaining("do not read " + delay.topic())
                    .hasMessageContaining("Stop all members of the group");
        }
        commit();
    }

    /** Joins the group of the routers, and waits for partitions. */
    private KafkaConsumer<byte[], byte[]> member(String... read) {
        var member = new KafkaConsumer<>(
                Map.of("bootstrap.servers", kafka.bootstrapServers(), "group.id", topics.routerGroup(),
                        "enable.auto.commit", "false", "auto.offset.reset", "earliest"),
                new ByteArrayDeserializer(), new ByteArrayDeserializer());
        member.subscribe(List.of(read));
        while (member.assignment().isEmpty()) {
            member.poll(Duration.ofMillis(100));
        }
        return member;
    }

    private void commit() {
        initial().commitForRouters();
    }

    private InitialOffsets initial() {
        return new InitialOffsets(
                new KafkaClients(configuration.queue()), queues, topics, InstantSource.system(), RouterException::new);
    }

    @Test
    void a_source_does_not_begin_before_its_start_and_goes_on_whatever_that_is() throws Exception {
        String topic = delay.topic();
        String group = topics.sourceGroup("orders");
        send(topic);
        long startMillis = System.currentTimeMillis() + 3_600_000;
        AtomicReference<Instant> now = new AtomicReference<>(Instant.ofEpochMilli(startMillis - 1));
        InitialOffsets offsets = new InitialOffsets(
                new KafkaClients(configuration.queue()), queues, topics, now::get, RouterException::new);

        assertThat(offsets.commitForSource(group, topic, OffsetSpec.forTimestamp(startMillis), startMillis)).isFalse();
        assertThat(queues.read(topic, group)).noneMatch(QueueProgress::isCommitted);

        now.set(Instant.ofEpochMilli(startMillis));
        assertThat(offsets.commitForSource(group, topic, OffsetSpec.forTimestamp(startMillis), startMillis)).isTrue();
        assertThat(queues.read(topic, group)).allMatch(part -> part.isCommitted() && part.behind() == 0);

        now.set(Instant.ofEpochMilli(startMillis - 1));
        assertThat(offsets.commitForSource(group, topic, OffsetSpec.forTimestamp(startMillis), startMillis))
                .as("it has begun").isTrue();
    }

    private void forget(TopicPartition... partitions) throws Exception {
        kafka.admin().deleteConsumerGroupOffsets(topics.routerGroup(), Set.of(partitions)).all().get();
    }

    private void purge(TopicPartition partition, long beforeOffset) throws Exception {
        kafka.admin().deleteRecords(Map.of(partition, RecordsToDelete.beforeOffset(beforeOffset))).all().get();
    }

    /** Commits an offset of each partition, as a router that has no members any more. */
    private void commit(long offset, String... read) {
        for (String topic : read) {
            for (QueueProgress queue : queues.read(topic, topics.routerGroup())) {
                TopicAdmin.get(kafka.admin().alterConsumerGroupOffsets(topics.routerGroup(),
                        Map.of(queue.partition(), new OffsetAndMetadata(offset))).all(), "commit");
            }
        }
    }

    private Producer<byte[], byte[]> beginTransaction(TopicPartition to) {
        Producer<byte[], byte[]> producer =
                new KafkaClients(configuration.queue()).producer(Map.of("transactional.id", kafka.prefix()));
        producer.initTransactions();
        producer.beginTransaction();
        for (int i = 0; i < 2; i++) {
            producer.send(new ProducerRecord<>(to.topic(), to.partition(), new byte[1], new byte[1]));
        }
        return producer;
    }

    /** Sends two records, which a marker follows. */
    private void sendInTransaction(TopicPartition to, boolean commits) {
        try (Producer<byte[], byte[]> producer = beginTransaction(to)) {
            if (commits) {
                producer.commitTransaction();
            } else {
                producer.flush();
                producer.abortTransaction();
            }
        }
    }

    private void send(String topic) throws Exception {
        try (Producer<byte[], byte[]> producer = new KafkaClients(configuration.queue()).producer()) {
            producer.send(new ProducerRecord<>(topic, 1, new byte[1], new byte[1])).get();
        }
    }
}
