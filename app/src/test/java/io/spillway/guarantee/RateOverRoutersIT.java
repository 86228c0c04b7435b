package io.spillway.guarantee;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.spillway.config.Configuration;
import io.spillway.config.ConfigurationLoader;
import io.spillway.core.item.Lane;
import io.spillway.kafka.codec.RecordCodec;
import io.spillway.kafka.topics.KafkaClients;
import io.spillway.kafka.topics.TopicAdmin;
import io.spillway.kafka.topics.Topics;
import io.spillway.kafka.view.ShardAssignments;
import io.spillway.kafka.view.Sweeps;
import io.spillway.kafka.view.TenantPolicies;
import io.spillway.router.Router;
import io.spillway.schema.WorkItem;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.MemberDescription;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Rate of a tenant over two routers, on the wall clock: counts admitted items by their creation time. */
@Timeout(900) // Only against a hang.
@Tag("alone") // The burst covers 500 ms of the rate: a router without CPU for longer admits too few items.
@Tag("long")
class RateOverRoutersIT {
    private static final int RATE = 400;
    private static final int OFFERED = 1_200;
    private static final int PARTITIONS = 4;
    private static final long SETTLING_MILLIS = 3_000;
    private static final long MEASURED_MILLIS = 10_000;
    /** A little less than the burst covers. */
    private static final long COVERED_MILLIS = 400;

    @RegisterExtension
    final KafkaUnderTest kafka = new KafkaUnderTest();

    @TempDir
    private Path directory;

    private final RecordCodec<WorkItem> codec = new RecordCodec<>(new WorkItem());

    @Test
    void the_rate_holds_over_two_routers_together_and_again_three_seconds_after_the_traffic_shifts() throws Exception {
        Configuration configuration = ConfigurationLoader.load(Optional.empty(), Map.of(
                "SPILLWAY_KAFKA_BOOTSTRAP_SERVERS", kafka.bootstrapServers(),
                "SPILLWAY_KAFKA_PREFIX", kafka.prefix(),
                "SPILLWAY_TOPICS_PARTITIONS", Integer.toString(PARTITIONS),
                "SPILLWAY_TOPICS_REPLICATION", "1",
                "SPILLWAY_ROUTER_THREADS", "1",
                "SPILLWAY_DEFAULTS_RATE", Integer.toString(RATE),
                "SPILLWAY_DEFAULTS_BURST", "200"), Map.of());
        Topics topics = new Topics(configuration.queue());
        new TopicAdmin(kafka.admin()).createMissing(topics.all());
        try (Router first = router(configuration, "first"); Router second = router(configuration, "second");
                Producer<byte[], byte[]> producer = new KafkaClients(configuration.queue()).producer()) {
            first.start(Duration.ofMinutes(5));
            second.start(Duration.ofMinutes(5));
            List<Set<Integer>> owned = awaitBothAssigned(topics);
            Set<Integer> all = new TreeSet<>(owned.getFirst());
            all.addAll(owned.getLast());

            List<Sent> windows = new ArrayList<>();
            windows.add(send(producer, topics, List.copyOf(all)));
            windows.add(send(producer, topics, List.copyOf(owned.getFirst())));
            windows.add(send(producer, topics, List.copyOf(owned.getLast())));
            awaitRouted(topics);

            for (Sent sent : windows) {
                long fromMillis = sent.beganMillis + SETTLING_MILLIS;
                long admitted = kafka.readAll(topics.lane(Lane.HOT)).stream()
                        .filter(record -> record.timestamp() >= fromMillis
                                && record.timestamp() < fromMillis + MEASURED_MILLIS)
                        .count();
                System.out.println("admitted " + admitted + " of " + RATE * MEASURED_MILLIS / 1_000 + ", stalled for "
                        + sent.stalledMillis + " ms");
                assertThat(admitted / (RATE / 1e3)).isBetween(
                        0.9 * (MEASURED_MILLIS - sent.stalledMillis), 1.1 * MEASURED_MILLIS);
            }
        }
    }

    /**
     * What was sent.
     *
     * @param beganMillis   epoch milliseconds
     * @param stalledMillis of the measured time: this machine stood still for longer than the burst of 500 ms covers,
     *                      so that a part of the rate was used by nobody
     */
    private record Sent(long beganMillis, long stalledMillis) {}

    private Router router(Configuration configuration, String name) {
        return new Router(configuration, name, directory.resolve(name), new TenantPolicies(configuration.defaults()),
                new Sweeps(), new ShardAssignments(), new SimpleMeterRegistry(), InstantSource.system(),
                System::nanoTime);
    }

    /** Waits until both routers have ingress partitions, and returns those of each. */
    private List<Set<Integer>> awaitBothAssigned(Topics topics) throws Exception {
        while (true) {
            List<Set<Integer>> owned = kafka.admin().describeConsumerGroups(List.of(topics.routerGroup()))
                    .describedGroups().get(topics.routerGroup()).get().members().stream()
                    .map(MemberDescription::assignment)
                    .map(assignment -> assignment.topicPartitions().stream()
                            .filter(partition -> partition.topic().equals(topics.ingress()))
                            .map(TopicPartition::partition)
                            .collect(Collectors.<Integer>toSet()))
                    .toList();
            if (owned.size() == 2 && owned.stream().noneMatch(Set::isEmpty)
                    && owned.stream().mapToInt(Set::size).sum() == PARTITIONS) {
                return owned;
            }
            LockSupport.parkNanos(100_000_000);
        }
    }

    /** Sends evenly to these partitions during settling and measurement. */
    private Sent send(Producer<byte[], byte[]> producer, Topics topics, List<Integer> partitions) {
        long beganMillis = System.currentTimeMillis();
        long sent = 0;
        long stalledMillis = 0;
        long lastMillis = beganMillis;
        for (long nowMillis = beganMillis; nowMillis < beganMillis + SETTLING_MILLIS + MEASURED_MILLIS;
                nowMillis = System.currentTimeMillis()) {
            if (nowMillis >= beganMillis + SETTLING_MILLIS) {
                stalledMillis += Math.max(0, nowMillis - lastMillis - COVERED_MILLIS);
            }
            lastMillis = nowMillis;
            for (; sent < (nowMillis - beganMillis) * OFFERED / 1_000; sent++) {
                byte[] value = codec.encode(new WorkItem("acme", "id", Instant.ofEpochMilli(nowMillis), "", null,
                        "text/plain", Map.of(), ByteBuffer.wrap(new byte[] {1})));
                producer.send(new ProducerRecord<>(topics.ingress(), partitions.get((int) (sent % partitions.size())),
                        nowMillis, "acme".getBytes(StandardCharsets.UTF_8), value));
            }
            LockSupport.parkNanos(2_000_000);
        }
        producer.flush();
        return new Sent(beganMillis, stalledMillis);
    }

    private void awaitRouted(Topics topics) {
        long sent = kafka.readAll(topics.ingress()).size();
        while (kafka.readAll(topics.lane(Lane.HOT)).size() + kafka.readAll(topics.lane(Lane.OVERFLOW)).size() < sent) {
            LockSupport.parkNanos(100_000_000);
        }
    }
}
