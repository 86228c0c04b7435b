package io.spillway.guarantee;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.config.Configuration;
import io.spillway.config.ConfigurationLoader;
import io.spillway.core.item.Lane;
import io.spillway.core.schedule.MissedTimes;
import io.spillway.kafka.codec.ItemHeaders;
import io.spillway.kafka.topics.KafkaClients;
import io.spillway.kafka.topics.TopicAdmin;
import io.spillway.kafka.topics.Topics;
import io.spillway.kafka.view.StoredSchedule;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

@Timeout(600) // Only against a hang.
@Tag("long")
class SchedulesIT {
    private static final int PARTITIONS = 4;
    private static final int KILLS = 3;
    private static final int ITEMS_OF_A_RUN = 5;
    private static final List<Lane> OUTPUT = List.of(Lane.HOT, Lane.OVERFLOW, Lane.AGED, Lane.DEAD_LETTER);

    @RegisterExtension
    final KafkaUnderTest kafka = new KafkaUnderTest();

    @Test
    void every_second_has_exactly_one_item_while_routers_are_killed_and_take_over(@TempDir Path directory)
            throws Exception {
        Map<String, String> settings = Map.of(
                "SPILLWAY_KAFKA_BOOTSTRAP_SERVERS", kafka.bootstrapServers(),
                "SPILLWAY_KAFKA_PREFIX", kafka.prefix(),
                "SPILLWAY_TOPICS_PARTITIONS", Integer.toString(PARTITIONS),
                "SPILLWAY_TOPICS_REPLICATION", "1",
                "SPILLWAY_METRICS_PORT", "0");
        Configuration configuration = ConfigurationLoader.load(Optional.empty(), settings, Map.of());
        Topics topics = new Topics(configuration.queue());
        new TopicAdmin(kafka.admin()).createMissing(topics.all());
        StoredSchedule seconds = new StoredSchedule("acme", "tick", new StoredSchedule.Timing("", "UTC", 1_000),
                MissedTimes.ALL, 0, new StoredSchedule.Content("", 4, "text/plain", new byte[0]));
        try (Producer<byte[], byte[]> producer = new KafkaClients(configuration.queue()).producer()) {
            producer.send(new ProducerRecord<>(
                    topics.schedules(), seconds.key().getBytes(StandardCharsets.UTF_8), seconds.encode())).get();
        }

        List<String> ids = new ArrayList<>();
        try (Consumer<byte[], byte[]> lanes = lanes(configuration, topics)) {
            SpillwayProcess running = start(directory, settings, 0);
            try {
                for (int kill = 1; kill <= KILLS; kill++) {
                    readMore(lanes, ids);
                    // The next one waits for the session of the killed one, then takes over.
                    SpillwayProcess killed = running;
                    killed.kill();
                    killed.close();
                    running = start(directory, settings, kill);
                }
                readMore(lanes, ids);
                // Those around the kills too have left ingress; of the newest a stop may leave some there.
                Set<String> fired = new HashSet<>(fired(topics));
                readUntil(lanes, ids, () -> ids.containsAll(fired));
                assertThat(running.stop()).isZero();
            } finally {
                running.close();
            }
            Map<TopicPartition, Long> ends = lanes.endOffsets(lanes.assignment());
            readUntil(lanes, ids, () -> ends.entrySet().stream()
                    .allMatch(end -> lanes.position(end.getKey()) >= end.getValue()));
        }

        List<String> sorted = fired(topics).stream().sorted().toList();
        Instant first = Instant.parse(sorted.getFirst().substring("tick@".length()));
        assertThat(sorted).hasSizeGreaterThan(KILLS * 10).isEqualTo(IntStream.range(0, sorted.size())
                .mapToObj(second -> "tick@" + first.plusSeconds(second)).toList());
        assertThat(ids).doesNotHaveDuplicates().isSubsetOf(sorted);
        assertThat(kafka.readAll(topics.lane(Lane.DEAD_LETTER))).isEmpty();
    }

    /** The items that the schedule stage has committed to ingress. */
    private List<String> fired(Topics topics) {
        return kafka.readAll(topics.ingress()).stream().map(SchedulesIT::id).toList();
    }

    private static void readMore(Consumer<byte[], byte[]> lanes, List<String> ids) {
        int enough = ids.size() + ITEMS_OF_A_RUN;
        readUntil(lanes, ids, () -> ids.size() >= enough);
    }

    private static void readUntil(Consumer<byte[], byte[]> lanes, List<String> ids, BooleanSupplier isEnough) {
        do {
            lanes.poll(Duration.ofSeconds(1)).forEach(record -> ids.add(id(record)));
        } while (!isEnough.getAsBoolean());
    }

    private static String id(ConsumerRecord<byte[], byte[]> record) {
        return ItemHeaders.text(record.headers(), ItemHeaders.ID).orElseThrow();
    }

    private static Consumer<byte[], byte[]> lanes(Configuration configuration, Topics topics) {
        Consumer<byte[], byte[]> consumer = new KafkaClients(configuration.queue()).consumer(Map.of());
        List<TopicPartition> partitions = OUTPUT.stream().map(topics::lane)
                .flatMap(lane -> Stream.iterate(0, i -> i + 1).limit(PARTITIONS).map(i -> new TopicPartition(lane, i)))
                .toList();
        consumer.assign(partitions);
        consumer.seekToBeginning(partitions);
        return consumer;
    }

    private static SpillwayProcess start(Path directory, Map<String, String> settings, int run) {
        return SpillwayProcess.start(directory.resolve("router-" + run % 2), settings, "--roles", "router");
    }
}
