package io.spillway.guarantee;

import static java.util.stream.Collectors.counting;
import static java.util.stream.Collectors.groupingBy;
import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.Repetitions;
import io.spillway.kafka.codec.ItemHeaders;
import io.spillway.kafka.topics.KafkaClients;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Items with order keys, and items that are sent twice, in processes that route and work and are killed. */
@Timeout(900) // Only against a hang.
class OrderIT {
    private static final int TENANTS = 10;
    private static final int KEYS = 20;
    private static final int ITEMS = 10;
    private static final int SENT_TWICE = Integer.getInteger("spillway.test.sentTwice", 3_000);

    @RegisterExtension
    final KafkaUnderTest kafka = new KafkaUnderTest();

    @TempDir
    private Path directory;

    private final long seed = Long.getLong("spillway.test.seed", System.nanoTime());
    private final Random random = new Random(seed);
    private String effects;
    private DeliveryScene scene;

    @BeforeEach
    void createTopics() throws Exception {
        System.out.println("seed " + seed);
        effects = kafka.createTopic("effects", 1);
        scene = new DeliveryScene(kafka.bootstrapServers(), kafka.prefix(), directory, Map.of(
                "SPILLWAY_HANDLER_TYPE", "class", "SPILLWAY_HANDLER_CLASS", LeaseHandler.class.getName()));
    }

    @AfterEach
    void close() {
        scene.close();
    }

    @Test
    void items_of_a_key_are_handled_in_order_and_none_is_lost_when_routers_and_workers_are_killed() throws Exception {
        Set<String> names = new HashSet<>();
        List<String> lines = linesOfKilledProcesses(producer -> {
            for (int number = 0; number < ITEMS; number++) {
                for (int i = 0; i < TENANTS * KEYS; i++) {
                    String tenant = "tenant-" + i % TENANTS;
                    String key = "key-" + i / TENANTS;
                    names.add(tenant + "/" + key + "." + number);
                    send(producer, tenant, key + "." + number, ItemHeaders.ORDER_KEY, key);
                }
            }
        });
        assertThat(calls(lines).keySet()).isEqualTo(names);
        assertThat(KeyOrder.breaches(lines)).as("seed %d", seed).isEmpty();
        scene.assertBalance(names.size());
    }

    @Test
    void an_item_that_is_sent_twice_is_accepted_once_when_routers_and_workers_are_killed() throws Exception {
        List<Integer> numbers = new ArrayList<>(IntStream.range(0, 2 * SENT_TWICE).map(i -> i / 2).boxed().toList());
        Collections.shuffle(numbers, random);
        Map<String, Long> calls = calls(linesOfKilledProcesses(producer -> numbers.forEach(number ->
                send(producer, "tenant-" + number % TENANTS, "id-" + number, ItemHeaders.DEDUPE, "true"))));
        long repeated = calls.values().stream().filter(count -> count > 1).count();
        System.out.println(repeated + " of " + SENT_TWICE + " were attempted again after a kill");
        assertThat(calls).as("seed %d", seed).hasSize(SENT_TWICE);
        scene.assertBalance(SENT_TWICE, SENT_TWICE);
    }

    private List<String> linesOfKilledProcesses(Consumer<Producer<byte[], byte[]>> sender) throws Exception {
        Map<String, String> environment = EffectHandler.environment(scene, effects, Map.of());
        List<SpillwayProcess> processes = new ArrayList<>();
        try {
            for (int i = 0; i < 2; i++) {
                processes.add(start(environment, "process-" + i));
            }
            try (Producer<byte[], byte[]> producer = new KafkaClients(scene.configuration.queue()).producer()) {
                sender.accept(producer);
            }
            int lines = 0;
            for (int kill = 0; kill < Repetitions.of(2, 4); kill++) {
                lines += 200 + random.nextInt(600);
                while (kafka.readAll(effects).size() < lines) {
                    LockSupport.parkNanos(50_000_000);
                }
                processes.get(kill % 2).kill();
                processes.set(kill % 2, start(environment, "process-" + kill % 2));
            }
            scene.awaitEmpty();
            return kafka.readAll(effects).stream()
                    .map(record -> new String(record.value(), StandardCharsets.UTF_8).strip()).toList();
        } finally {
            processes.forEach(SpillwayProcess::close);
        }
    }

    /** Returns how often each item, {@code TENANT/ID}, was attempted. */
    private static Map<String, Long> calls(List<String> lines) {
        return lines.stream().filter(line -> line.startsWith(Leases.START)).map(line -> line.split(" ")[1])
                .collect(groupingBy(Function.identity(), counting()));
    }

    private SpillwayProcess start(Map<String, String> environment, String name) {
        return SpillwayProcess.start(directory.resolve(name), environment, "--roles", "router,worker");
    }

    /** Sends an item: to one partition for each order key, and to any where it is sent twice. */
    private void send(Producer<byte[], byte[]> producer, String tenant, String id, String header, String value) {
        ProducerRecord<byte[], byte[]> record = new ProducerRecord<>(
                scene.topics.ingress(),
                bytes(header.equals(ItemHeaders.ORDER_KEY) ? tenant + value : Integer.toString(random.nextInt())),
                bytes("5"));
        record.headers().add(ItemHeaders.TENANT, bytes(tenant)).add(ItemHeaders.ID, bytes(id))
                .add(header, bytes(value));
        producer.send(record);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
