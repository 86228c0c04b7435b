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
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Local state of a router that stops and starts again, with a broker. */
class LocalStateIT {
    private static final String MARK = "spillway-state";

    @RegisterExtension
    final KafkaUnderTest kafka = new KafkaUnderTest();

    @TempDir
    private Path state;

    @Test
    void state_is_used_again_after_a_stop_and_discarded_when_its_mark_is_old() throws Exception {
        Configuration configuration = ConfigurationLoader.load(Optional.empty(), Map.of(), Map.of(
                "kafka.bootstrapServers", kafka.bootstrapServers(), "kafka.prefix", kafka.prefix(),
                "topics.partitions", "1", "topics.replication", "1"));
        Topics topics = new Topics(configuration.queue());
        new TopicAdmin(kafka.admin()).createMissing(topics.all());
        Path task;
        try (Router router = start(configuration)) {
            delayOneItem(configuration, topics);
            while (kafka.readAll(topics.timersChangelog()).isEmpty()) {
                assertThat(router.isRunning()).isTrue();
            }
        }
        task = marks().getFirst().getParent();
        Path witness = Files.writeString(task.resolve("witness"), "x");

        start(configuration).close();
        assertThat(witness).as("the state was kept").exists();

        Path mark = task.resolve(MARK);
        String owner = Files.readString(mark).lines().findFirst().orElseThrow();
        long hourAgo = System.currentTimeMillis() - Duration.ofHours(1).toMillis();
        Files.writeString(mark, owner + "\n" + hourAgo + "\n");
        start(configuration).close();
        assertThat(witness).as("the state was restored").doesNotExist();
    }

    private Router start(Configuration configuration) {
        Router router = new Router(configuration, "it", state, new TenantPolicies(configuration.defaults()),
                new Sweeps(), new ShardAssignments(), new SimpleMeterRegistry(), InstantSource.system(),
                System::nanoTime);
        router.start(Duration.ofMinutes(5));
        return router;
    }

    private static void delayOneItem(Configuration configuration, Topics topics) throws Exception {
        ProducerRecord<byte[], byte[]> record =
                new ProducerRecord<>(topics.lane(Lane.DELAY), 0, null, new byte[] {1});
        long due = System.currentTimeMillis() + Duration.ofHours(1).toMillis();
        record.headers().add("spillway-tenant", "acme".getBytes(StandardCharsets.UTF_8))
                .add("spillway-due", Long.toString(due).getBytes(StandardCharsets.UTF_8));
        try (Producer<byte[], byte[]> producer = new KafkaClients(configuration.queue()).producer()) {
            producer.send(record).get();
        }
    }

    private List<Path> marks() throws IOException {
        try (Stream<Path> files = Files.walk(state)) {
            return files.filter(file -> file.getFileName().toString().equals(MARK)).toList();
        }
    }
}
