package io.spillway.guarantee;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.Repetitions;
import io.spillway.kafka.codec.ItemHeaders;
import io.spillway.kafka.topics.KafkaClients;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Items with order keys, some of which fail at first, in processes that are killed. */
@Timeout(900) // Only against a hang.
class OrderIT {
    private static final int TENANTS = 10;
    private static final int KEYS = 20;
    private static final int ITEMS = 10;

    @RegisterExtension
    final KafkaUnderTest kafka = new KafkaUnderTest();

    @TempDir
    private Path directory;

    @Test
    void items_of_a_key_are_handled_in_order_and_none_is_lost_when_routers_and_workers_are_killed() throws Exception {
        long seed = Long.getLong("spillway.test.seed", System.nanoTime());
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        String effects = kafka.createTopic("effects", 1);
        try (DeliveryScene scene = new DeliveryScene(kafka.bootstrapServers(), kafka.prefix(), directory, Map.of(
                "SPILLWAY_HANDLER_TYPE", "class", "SPILLWAY_HANDLER_CLASS", OrderHandler.class.getName()))) {
            Map<String, String> environment = EffectHandler.environment(scene, effects, Map.of());
            List<SpillwayProcess> processes = new ArrayList<>();
            try {
                for (int i = 0; i < 2; i++) {
                    processes.add(start(environment, "process-" + i));
                }
                Set<String> ids = send(scene);
                for (int kill = 0; kill < Repetitions.of(2, 4); kill++) {
                    Thread.sleep(1_000 + random.nextInt(3_000));
                    processes.get(kill % 2).kill();
                    processes.set(kill % 2, start(environment, "process-" + kill % 2));
                }
                scene.awaitEmpty();
                List<String> lines = kafka.readAll(effects).stream()
                        .map(record -> new String(record.value(), StandardCharsets.UTF_8).strip()).toList();
                List<String> begun = lines.stream().filter(line -> line.startsWith(Leases.START))
                        .map(line -> line.split(" ")[1]).toList();
                System.out.println(ids.size() + " items, " + begun.size() + " attempts");
                assertThat(new HashSet<>(begun)).isEqualTo(ids);
                assertThat(KeyOrder.breaches(lines)).as("seed %d", seed).isEmpty();
                scene.assertBalance(ids.size());
            } finally {
                processes.forEach(SpillwayProcess::close);
            }
        }
    }

    private SpillwayProcess start(Map<String, String> environment, String name) {
        return SpillwayProcess.start(directory.resolve(name), environment, "--roles", "router,worker");
    }

    /** Sends the items of each key in order, in turn, and returns their names. */
    private static Set<String> send(DeliveryScene scene) {
        List<String> names = new ArrayList<>();
        try (Producer<byte[], byte[]> producer = new KafkaClients(scene.configuration.queue()).producer()) {
            for (int number = 0; number < ITEMS; number++) {
                for (int i = 0; i < TENANTS * KEYS; i++) {
                    String tenant = "tenant-" + i % TENANTS;
                    String key = "key-" + i / TENANTS;
                    String id = key + "." + number;
                    names.add(tenant + "/" + id);
                    ProducerRecord<byte[], byte[]> record =
                            new ProducerRecord<>(scene.topics.ingress(), bytes(tenant + key), bytes("5"));
                    record.headers().add(ItemHeaders.TENANT, bytes(tenant)).add(ItemHeaders.ID, bytes(id))
                            .add(ItemHeaders.ORDER_KEY, bytes(key));
                    producer.send(record);
                }
            }
        }
        return names.stream().collect(Collectors.toSet());
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
