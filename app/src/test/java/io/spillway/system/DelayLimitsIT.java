package io.spillway.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.spillway.config.Configuration;
import io.spillway.config.ConfigurationLoader;
import io.spillway.core.item.Lane;
import io.spillway.guarantee.KafkaUnderTest;
import io.spillway.kafka.topics.KafkaClients;
import io.spillway.kafka.topics.TopicAdmin;
import io.spillway.kafka.topics.Topics;
import io.spillway.kafka.view.ShardAssignments;
import io.spillway.kafka.view.Sweeps;
import io.spillway.kafka.view.TenantPolicies;
import io.spillway.router.Router;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Limits that only a broker enforces: at the end the router has exceeded none of them. */
@Timeout(900) // Against a hang; nothing is measured.
class DelayLimitsIT {
    /** Maximum size of a batch with one record, without its key, value and headers. */
    private static final int FRAMING_BYTES = 120;

    @RegisterExtension
    final KafkaUnderTest kafka = new KafkaUnderTest();

    @TempDir
    private Path state;

    @Test
    void the_largest_items_and_the_most_absurd_times_pass_through_the_timer_store() throws Exception {
        Configuration configuration = ConfigurationLoader.load(Optional.empty(), Map.of(), Map.of(
                "kafka.bootstrapServers", kafka.bootstrapServers(), "kafka.prefix", kafka.prefix(),
                "topics.partitions", "1", "topics.replication", "1"));
        Topics topics = new Topics(configuration.queue());
        new TopicAdmin(kafka.admin()).createMissing(topics.all());
        List<Integer> sizes = List.of(
                1, topics.ingressMaxBytes(), topics.delayedMaxBytes() - FRAMING_BYTES,
                topics.laneMaxBytes() - 2 * FRAMING_BYTES);
        List<Long> timestamps = List.of(0L, System.currentTimeMillis(), Long.MAX_VALUE);

        try (Router router = new Router(configuration, "it", state, new TenantPolicies(configuration.defaults()),
                        new Sweeps(), new ShardAssignments(), new SimpleMeterRegistry(), InstantSource.system(),
                System::nanoTime);
                Producer<byte[], byte[]> producer = new KafkaClients(configuration.queue()).producer()) {
            router.start(Duration.ofMinutes(5));
            int expected = sizes.size() * timestamps.size();
            for (int size : sizes) {
                for (long timestamp : timestamps) {
                    long due = System.currentTimeMillis() + 3_000;
                    var record = new ProducerRecord<byte[], byte[]>(
                            topics.lane(Lane.DELAY), 0, timestamp, null, new byte[size]);
                    record.headers()
                            .add("spillway-tenant", bytes("acme"))
                            .add("spillway-due", bytes(Long.toString(due)))
                            .add("spillway-enqueued-at", bytes(Long.toString(due - 3_000)));
                    producer.send(record).get();
                }
            }
            List<ConsumerRecord<byte[], byte[]>> hot = new ArrayList<>();
            List<ConsumerRecord<byte[], byte[]>> dead = new ArrayList<>();
            while (hot.size() + dead.size() < expected) {
                hot = kafka.readAll(topics.lane(Lane.HOT));
                dead = kafka.readAll(topics.lane(Lane.DEAD_LETTER));
                assertThat(router.isRunning()).isTrue();
            }
            assertThat(hot).hasSize(expected - timestamps.size());
            assertThat(dead)
                    .hasSize(timestamps.size())
                    .allSatisfy(record -> assertThat(new String(
                                    record.headers()
                                            .lastHeader("spillway-dead-reason")
                                            .value(),
                                    StandardCharsets.UTF_8))
                            .isEqualTo("too-large"));
            assertThat(hot).extracting(ConsumerRecord::timestamp).containsAll(timestamps);
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
