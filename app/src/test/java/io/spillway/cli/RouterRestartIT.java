package io.spillway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.campaign.MendedBroker;
import io.spillway.core.item.Lane;
import io.spillway.embedded.BrokerProcess;
import io.spillway.guarantee.ExactlyOneLane;
import io.spillway.guarantee.KafkaUnderTest;
import io.spillway.kafka.codec.RecordCodec;
import io.spillway.kafka.topics.KafkaClients;
import io.spillway.kafka.topics.QueueAdmin;
import io.spillway.kafka.topics.QueueProgress;
import io.spillway.kafka.topics.TopicSpec;
import io.spillway.kafka.topics.Topics;
import io.spillway.runtime.Role;
import io.spillway.runtime.RunningSystem;
import io.spillway.runtime.Shutdown;
import io.spillway.runtime.StartOptions;
import io.spillway.schema.WorkItem;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** Start of a router after its commits were lost or partitions were added, and a restart of its broker. */
@Timeout(900) // Against a hang; nothing is measured.
@SuppressWarnings("try") // A router need only be open.
class RouterRestartIT {
    @RegisterExtension
    final KafkaUnderTest kafka = new KafkaUnderTest();

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path directory;

    private final RecordCodec<WorkItem> codec = new RecordCodec<>(new WorkItem());
    private final List<String> origins = new ArrayList<>();

    @Test
    void a_router_whose_commits_are_lost_does_not_start_and_routes_nothing_twice() throws Exception {
        CommandsUnderTest commands = CommandsUnderTest.on(kafka, directory);
        Topics topics = commands.topics();
        QueueAdmin queues = new QueueAdmin(kafka.admin());
        commands.run("topics", "create").done();
        try (Shutdown router = started(commands)) {
            send(commands, 20);
            commands.awaitRouted(kafka.admin());
        }

        // The offsets of the delay lane and of the ledger too: whether timers and balances were written by now depends
        // on timing.
        Map<TopicPartition, OffsetAndMetadata> before = kafka.admin().listConsumerGroupOffsets(topics.routerGroup())
                .partitionsToOffsetAndMetadata().get();
        kafka.admin().deleteConsumerGroups(List.of(topics.routerGroup())).all().get();
        assertRefuses(commands, topics.ingress() + "-0 and 1 more");

        kafka.admin().alterConsumerGroupOffsets(topics.routerGroup(), before).all().get();
        queues.purgeFinished(topics.ingress(), topics.routerGroup());
        kafka.admin()
                .deleteConsumerGroupOffsets(topics.routerGroup(), Set.of(new TopicPartition(topics.ingress(), 1)))
                .all()
                .get();
        assertRefuses(commands, topics.ingress() + "-1");

        kafka.admin().alterConsumerGroupOffsets(topics.routerGroup(), before).all().get();
        try (Shutdown router = started(commands)) {
            send(commands, 20);
            commands.awaitRouted(kafka.admin());
        }
        assertThat(new ExactlyOneLane(kafka, topics).breaches(origins)).isEmpty();
    }

    @Test
    void partitions_that_were_added_are_routed_from_their_first_record_on() throws Exception {
        CommandsUnderTest two = CommandsUnderTest.on(kafka, directory);
        two.run("topics", "create").done();
        try (Shutdown router = started(two)) {
            send(two, 4);
            two.awaitRouted(kafka.admin());
        }
        kafka.admin().createPartitions(two.topics().all().stream()
                .filter(spec -> spec.partitions() == 2)
                .collect(Collectors.toMap(TopicSpec::name, spec -> NewPartitions.increaseTo(3)))).all().get();
        assertThat(two.run("run", "--data", directory.resolve("router").toString()).failedWith(1))
                .contains("3 partitions but must have 2");

        CommandsUnderTest three = new CommandsUnderTest(two.bootstrapServers(), two.prefix(), CommandsUnderTest.written(
                directory.resolve("three"), CommandsUnderTest.SMALL.replace("partitions: 2", "partitions: 3")));
        send(three, 30);
        assertThat(origins).contains(three.topics().ingress() + "-2-0");
        try (Shutdown router = started(three)) {
            three.awaitRouted(kafka.admin());
        }
        assertThat(new ExactlyOneLane(kafka, three.topics()).breaches(origins)).isEmpty();
    }

    @Test
    void a_router_continues_after_its_broker_was_killed_and_restarted() throws Exception {
        try (BrokerProcess broker = BrokerProcess.start(MendedBroker.class, directory.resolve("broker"));
                Admin admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrapServers()))) {
            CommandsUnderTest commands = new CommandsUnderTest(
                    broker.bootstrapServers(), "spillway",
                    CommandsUnderTest.written(directory, CommandsUnderTest.SMALL));
            commands.run("topics", "create").done();
            try (Shutdown router = started(commands);
                    Producer<byte[], byte[]> producer = new KafkaClients(commands.configuration().queue()).producer()) {
                List<Future<RecordMetadata>> answers = sendThrough(producer, commands.topics().ingress(), 20_000);
                QueueAdmin queues = new QueueAdmin(admin);
                while (written(queues, commands.topics()) < 1_000) {
                    LockSupport.parkNanos(2_000_000);
                }
                broker.kill();
                // In a thread of its own: a producer that has lost all brokers forgets the topic, and sending waits
                // for one.
                var meanwhile = CompletableFuture.supplyAsync(
                        () -> sendThrough(producer, commands.topics().ingress(), 100), Thread.ofVirtual()::start);
                broker.restart();
                answers.addAll(meanwhile.get());
                answers.addAll(sendThrough(producer, commands.topics().ingress(), 1_000));
                note(answers);
                commands.awaitRouted(admin);

                assertThat(new ExactlyOneLane(broker.bootstrapServers(), commands.topics()).breaches(origins))
                        .isEmpty();
                assertThat(commands.run("tenants", "set", "acme", "--rate", "1", "--wait").done().err())
                        .as("the views go on as well").contains("Applied by 1 running instance.");
            }
        }
    }

    /** Without a worker, which would start beside the router, finish the items and purge them. */
    private void assertRefuses(CommandsUnderTest commands, String where) {
        assertThat(commands.run("run", "--roles", "router", "--data", directory.resolve("router").toString())
                .failedWith(1))
                .contains(commands.topics().routerGroup() + " has lost its offsets for " + where)
                .contains("kafka-consumer-groups.sh", "--reset-offsets", "earliest", "latest");
        assertThat(new ExactlyOneLane(kafka, commands.topics()).breaches(origins)).isEmpty();
    }

    /** Starts the router in this process, as {@code run} does. */
    private Shutdown started(CommandsUnderTest commands) {
        Shutdown shutdown = new Shutdown();
        RunningSystem.start(commands.configuration(),
                new StartOptions(directory.resolve("router"), Set.of(Role.ROUTER), false, ""), shutdown);
        return shutdown;
    }

    private void send(CommandsUnderTest commands, int count) throws Exception {
        try (Producer<byte[], byte[]> producer = new KafkaClients(commands.configuration().queue()).producer()) {
            note(sendThrough(producer, commands.topics().ingress(), count));
        }
    }

    private List<Future<RecordMetadata>> sendThrough(Producer<byte[], byte[]> producer, String topic, int count) {
        List<Future<RecordMetadata>> answers = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            WorkItem item = new WorkItem("acme", "id-" + i, Instant.ofEpochMilli(System.currentTimeMillis()), "", null,
                    "text/plain", Map.of(), ByteBuffer.wrap(new byte[100]));
            answers.add(producer.send(
                    new ProducerRecord<>(topic, ("k" + i).getBytes(StandardCharsets.US_ASCII), codec.encode(item))));
        }
        return answers;
    }

    private void note(List<Future<RecordMetadata>> answers) throws Exception {
        for (Future<RecordMetadata> answer : answers) {
            RecordMetadata at = answer.get();
            origins.add(at.topic() + "-" + at.partition() + "-" + at.offset());
        }
    }

    private static long written(QueueAdmin queues, Topics topics) {
        return queues.read(topics.lane(Lane.HOT), topics.workerGroup()).stream().mapToLong(QueueProgress::end).sum();
    }
}
