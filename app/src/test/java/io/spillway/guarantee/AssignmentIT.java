package io.spillway.guarantee;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.audit.Audit;
import io.spillway.audit.Census;
import io.spillway.core.item.ItemState;
import io.spillway.core.item.Lane;
import io.spillway.core.ledger.AuditedTenant;
import io.spillway.handler.Outcome;
import io.spillway.worker.Worker;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.admin.MemberDescription;
import org.apache.kafka.clients.admin.RemoveMembersFromConsumerGroupOptions;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.GroupState;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Partitions of workers that come, go, restart and die, on a real Kafka. */
@Timeout(900) // Only against a hang.
class AssignmentIT {
    private static final int LANES = 3;

    @RegisterExtension
    final KafkaUnderTest kafka = new KafkaUnderTest();

    @TempDir
    private Path directory;

    private final RecordingHandler handler = new RecordingHandler(delivery -> Outcome.done());

    @Test
    void a_restart_moves_the_partitions_of_one_worker_and_each_has_its_part_of_every_lane() throws Exception {
        int partitions = 12;
        int count = 5;
        try (DeliveryScene scene = scene(partitions, Map.of())) {
            Map<String, Worker> workers = start(scene, count);
            Map<TopicPartition, String> before = awaitOwners(scene, workers.keySet(), partitions);
            for (String name : List.copyOf(workers.keySet())) {
                workers.remove(name).close();
                Map<TopicPartition, String> without = awaitOwners(scene, workers.keySet(), partitions);
                workers.put(name, scene.startWorker(name, handler));
                Map<TopicPartition, String> after = awaitOwners(scene, workers.keySet(), partitions);
                System.out.println(name + ": " + moved(before, without) + " moved when it left, "
                        + moved(without, after) + " when it came back");
                int most = (partitions + count - 1) / count + 1;
                assertThat(moved(before, without).values()).allMatch(each -> each <= most);
                assertThat(moved(without, after).values()).allMatch(each -> each <= most);
                assertThat(countsOf(after)).as("two or three of each lane").allMatch(each -> each == 6 || each == 9);
                before = after;
            }
        }
    }

    @Test
    void a_worker_with_twice_the_slots_has_twice_the_partitions() throws Exception {
        try (DeliveryScene scene = scene(12, Map.of()); DeliveryScene large = scene(12, Map.of(
                "SPILLWAY_WORKER_SLOTS", "40"))) {
            scene.startWorker("small", handler);
            large.startWorker("large", handler);
            Map<TopicPartition, String> owners = awaitOwners(scene, Set.of("small", "large"), 12);
            assertThat(owners.values().stream().filter("large"::equals)).hasSize(24);
        }
    }

    @Test
    void a_worker_without_a_partition_is_ready_and_takes_over_when_another_leaves() throws Exception {
        int partitions = 2;
        try (DeliveryScene scene = scene(partitions, Map.of()).withRouter()) {
            Map<String, Worker> workers = start(scene, partitions + 1);
            Map<TopicPartition, String> owners = awaitOwners(scene, workers.keySet(), partitions);
            assertThat(Set.copyOf(owners.values())).as("one has none").hasSize(partitions);
            assertThat(workers.values()).allMatch(Worker::isReady);

            String leaving = owners.get(new TopicPartition(scene.topics.lane(Lane.HOT), 0));
            long closedNanos = System.nanoTime();
            workers.remove(leaving).close();
            owners = awaitOwners(scene, workers.keySet(), partitions);
            System.out.println("taken over after " + millisSince(closedNanos) + " ms");
            assertThat(owners.values()).hasSameElementsAs(workers.keySet());
            List<String> ids = scene.send("item", 500, i -> "x");
            handler.awaitDone(ids);
            scene.awaitEmpty();
            assertThat(handler.breaches(ids)).isEmpty();
        }
    }

    @Tag("long")
    @Test
    void a_rolling_restart_under_load_cuts_no_attempt_and_handles_each_item_once() throws Exception {
        Set<String> cut = ConcurrentHashMap.newKeySet();
        handler.behave(delivery -> {
            long untilNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(1);
            while (System.nanoTime() < untilNanos) {
                LockSupport.parkNanos(untilNanos - System.nanoTime());
                if (Thread.currentThread().isInterrupted()) {
                    cut.add(delivery.id());
                    throw new InterruptedException();
                }
            }
            return Outcome.done();
        });
        try (DeliveryScene scene = scene(12, Map.of()).withRouter()) {
            Map<String, Worker> workers = start(scene, 4);
            awaitOwners(scene, workers.keySet(), 12);
            List<String> ids = new ArrayList<>();
            for (String name : List.copyOf(workers.keySet())) {
                ids.addAll(scene.send("for-" + name, 400, i -> "x"));
                int started = handler.doneCount();
                while (handler.doneCount() < started + 50) {
                    LockSupport.parkNanos(10_000_000);
                }
                long closedNanos = System.nanoTime();
                workers.remove(name).close();
                workers.put(name, scene.startWorker(name, handler));
                System.out.println(name + " restarted in " + millisSince(closedNanos) + " ms, with "
                        + (ids.size() - handler.doneCount()) + " items to do");
                assertThat(handler.doneCount()).as("under load").isLessThan(ids.size());
            }
            handler.awaitDone(ids);
            scene.awaitEmpty();

            assertThat(cut).isEmpty();
            assertThat(handler.breaches(ids)).isEmpty();
            assertThat(handler.calls()).isEqualTo(ids.size());
            try (Census census = new Census(scene.configuration, InstantSource.system())) {
                List<AuditedTenant> audited = Audit.of(census);
                assertThat(audited).allMatch(tenant -> tenant.findings().isEmpty());
                assertThat(audited.stream().mapToLong(tenant -> tenant.after().in(ItemState.DONE)).sum())
                        .as("done, by the ledger").isEqualTo(ids.size());
            }
        }
    }

    @Tag("long")
    @Test
    void workers_that_are_removed_from_their_group_join_again_and_no_item_is_lost() throws Exception {
        handler.behave(RecordingHandler::takePayloadMillis);
        try (DeliveryScene scene = scene(12, Map.of()).withRouter()) {
            Map<String, Worker> workers = start(scene, 3);
            List<String> ids = new ArrayList<>();
            for (int round = 0; round < 5; round++) {
                Map<TopicPartition, String> owners = awaitOwners(scene, workers.keySet(), 12);
                assertThat(countsOf(owners)).containsOnly(12);
                ids.addAll(scene.send("round-" + round, 500, i -> "20"));
                kafka.admin().removeMembersFromConsumerGroup(
                        scene.topics.workerGroup(), new RemoveMembersFromConsumerGroupOptions()).all().get();
                // A removal looks like a death, and a second one would convict an item that still runs alone.
                scene.awaitEmpty();
            }
            handler.awaitDone(ids);

            assertThat(workers.values()).allMatch(Worker::isReady);
            assertThat(kafka.readAll(scene.topics.lane(Lane.DEAD_LETTER))).isEmpty();
        }
    }

    @Test
    void the_partitions_of_a_killed_worker_are_taken_over_after_its_session() throws Exception {
        int partitions = 12;
        try (DeliveryScene scene = scene(partitions, Map.of()); SpillwayProcess killed = SpillwayProcess.start(
                directory.resolve("killed"), environment(scene), "--roles", "worker")) {
            scene.startWorker("survivor", handler);
            awaitOwners(scene, Set.of("killed", "survivor"), partitions);
            killed.kill();
            long killedNanos = System.nanoTime();
            Map<TopicPartition, String> owners = awaitOwners(scene, Set.of("survivor"), partitions);
            System.out.println("taken over after " + millisSince(killedNanos) + " ms");
            assertThat(owners).hasSize(LANES * partitions);
            assertThat(millisSince(killedNanos)).as("a session of 10 s, not of 45 s").isLessThan(30_000);
        }
    }

    @Test
    void an_empty_group_of_the_other_type_does_not_stop_a_start() throws Exception {
        try (DeliveryScene scene = scene(12, Map.of())) {
            try (var consumer = new KafkaConsumer<>(Map.of(
                    "bootstrap.servers", kafka.bootstrapServers(), "group.id", scene.topics.workerGroup(),
                    "group.protocol", "consumer"), new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
                consumer.subscribe(List.of(scene.topics.lane(Lane.HOT)));
                while (consumer.assignment().isEmpty()) {
                    consumer.poll(Duration.ofMillis(100));
                }
            }
            scene.startWorker("worker", handler);
            assertThat(awaitOwners(scene, Set.of("worker"), 12)).hasSize(36);
        }
    }

    private DeliveryScene scene(int partitions, Map<String, String> more) {
        Map<String, String> settings = new HashMap<>(more);
        settings.put("SPILLWAY_TOPICS_PARTITIONS", Integer.toString(partitions));
        return new DeliveryScene(kafka.bootstrapServers(), kafka.prefix(), directory, settings);
    }

    private static Map<String, String> environment(DeliveryScene scene) {
        Map<String, String> environment = new HashMap<>(scene.environment());
        environment.put("SPILLWAY_WORKER_ID", "killed");
        environment.put("SPILLWAY_HANDLER_TYPE", "log");
        return environment;
    }

    private Map<String, Worker> start(DeliveryScene scene, int count) {
        return new HashMap<>(IntStream.range(0, count).mapToObj(i -> "worker-" + i)
                .collect(Collectors.toMap(name -> name, name -> scene.startWorker(name, handler))));
    }

    /** Waits until these workers are the members, and own all partitions; returns the name of the owner of each. */
    private Map<TopicPartition, String> awaitOwners(DeliveryScene scene, Set<String> workers, int partitions)
            throws Exception {
        String group = scene.topics.workerGroup();
        while (true) {
            Set<String> names = new HashSet<>();
            Map<TopicPartition, String> owners = new HashMap<>();
            ConsumerGroupDescription described = kafka.admin().describeConsumerGroups(List.of(group))
                    .describedGroups().get(group).get();
            for (MemberDescription member : described.members()) {
                String name = member.clientId().substring(group.length() + 1);
                names.add(name);
                member.assignment().topicPartitions().forEach(partition -> owners.put(partition, name));
            }
            // During a rebalance, members are described with what they had before.
            if (described.groupState() == GroupState.STABLE && names.equals(workers)
                    && owners.size() == LANES * partitions) {
                return owners;
            }
            LockSupport.parkNanos(20_000_000);
        }
    }

    private static Map<String, Integer> moved(Map<TopicPartition, String> before, Map<TopicPartition, String> after) {
        Map<String, Integer> moved = new HashMap<>();
        after.forEach((partition, owner) -> moved.merge(
                partition.topic().substring(partition.topic().indexOf('.') + 1),
                owner.equals(before.get(partition)) ? 0 : 1, Integer::sum));
        return moved;
    }

    private static List<Integer> countsOf(Map<TopicPartition, String> owners) {
        return List.copyOf(owners.values().stream().collect(Collectors.toMap(name -> name, name -> 1, Integer::sum))
                .values());
    }

    private static long millisSince(long nanos) {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - nanos);
    }
}
