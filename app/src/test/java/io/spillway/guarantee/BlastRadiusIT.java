package io.spillway.guarantee;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.config.Configuration;
import io.spillway.config.ConfigurationLoader;
import io.spillway.core.item.Lane;
import io.spillway.core.sharding.ShuffleSharder;
import io.spillway.handler.Delivery;
import io.spillway.handler.Handler;
import io.spillway.handler.Outcome;
import io.spillway.kafka.codec.RecordCodec;
import io.spillway.kafka.topics.KafkaClients;
import io.spillway.kafka.topics.Topics;
import io.spillway.schema.WorkItem;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.admin.MemberDescription;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Eight partitions, two for each tenant: one tenant on each of the 28 shards, of which one shard stops. */
@Timeout(900) // Only against a hang.
class BlastRadiusIT {
    private static final int PARTITIONS = 8;
    private static final int SHARDS = 28;
    private static final int ITEMS = 20;
    private static final int SLOTS = 4;
    private static final Map<String, String> SETTINGS = Map.of(
            "SPILLWAY_TOPICS_PARTITIONS", Integer.toString(PARTITIONS),
            "SPILLWAY_DEFAULTS_SHARD_SIZE", "2",
            "SPILLWAY_DEFAULTS_BACKOFF_BASE", "100ms",
            "SPILLWAY_DEFAULTS_BACKOFF_CAP", "200ms",
            "SPILLWAY_DEFAULTS_TIMEOUT", "10m",
            "SPILLWAY_WORKER_SLOTS", Integer.toString(SLOTS),
            "SPILLWAY_WORKER_DRAIN_GRACE", "100ms");

    @RegisterExtension
    final KafkaUnderTest kafka = new KafkaUnderTest();

    @TempDir
    private Path directory;

    private final RecordCodec<WorkItem> codec = new RecordCodec<>(new WorkItem());
    private final Map<List<Integer>, String> tenants = oneTenantOnEachShard();
    private final Map<String, Set<String>> done = new ConcurrentHashMap<>();
    /** Workers that received items of each tenant; each worker has one partition. */
    private final Map<String, Set<String>> workers = new ConcurrentHashMap<>();
    /** Those that received hot items of it: its excess may go to any that works. */
    private final Map<String, Set<String>> hotWorkers = new ConcurrentHashMap<>();
    private final Set<String> attempted = ConcurrentHashMap.newKeySet();
    private final Set<String> stoppedWorkers = ConcurrentHashMap.newKeySet();
    /** The stopped worker of each attempt that hangs. */
    private final List<String> hanging = Collections.synchronizedList(new ArrayList<>());
    private final CountDownLatch stopped = new CountDownLatch(1);

    @Test
    void exactly_one_tenant_stops_when_the_consumers_of_its_two_partitions_stop() throws Exception {
        assertThat(tenants).hasSize(SHARDS);
        Map.Entry<List<Integer>, String> victim = new ArrayList<>(tenants.entrySet()).get(11);
        Configuration configuration = ConfigurationLoader.load(Optional.empty(), environment(), Map.of());
        Topics topics = new Topics(configuration.queue());
        try (DeliveryScene scene = new DeliveryScene(kafka.bootstrapServers(), kafka.prefix(), directory, SETTINGS)) {
            for (int i = 0; i < PARTITIONS; i++) {
                String name = "worker-" + i;
                scene.startWorker(name, handler(name));
            }
            Map<Integer, String> owners = awaitOneWorkerForEachPartition(topics);
            scene.withRouter();
            // Without it the capacity would be that of a cold process, so that much would be excess.
            send(configuration, topics, tenants.values(), "first", ITEMS);
            awaitAll(tenants.values());
            done.clear();
            workers.clear();
            hotWorkers.clear();
            for (int slot : victim.getKey()) {
                stoppedWorkers.add(owners.get(slot));
            }
            send(configuration, topics, List.of(victim.getValue()), "early", SLOTS);
            fillSlots(configuration, topics, owners, victim.getKey());
            while (scene.routerMetrics().get("spillway.full.workers").gauge().value() < stoppedWorkers.size()) {
                Thread.sleep(100);
            }
            send(configuration, topics, tenants.values(), "late", ITEMS);
            Set<String> others = new TreeSet<>(tenants.values());
            others.remove(victim.getValue());
            awaitAll(others);

            assertThat(done.keySet()).as("tenants that continue").containsExactlyInAnyOrderElementsOf(others);
            assertThat(done.values()).as("all items of a tenant").allMatch(ids -> ids.size() == ITEMS);
            assertThat(workers.get(victim.getValue())).as("what hangs stays in its shard").isSubsetOf(stoppedWorkers);
            assertHotWasOnItsShard(owners);
            stopped.countDown();
        }
    }

    /** Every fourth item fails once, so that retries are covered too. */
    private Handler handler(String worker) {
        return delivery -> {
            workers.computeIfAbsent(delivery.tenant(), absent -> ConcurrentHashMap.newKeySet()).add(worker);
            if (delivery.lane().equals(Lane.HOT.label())) {
                hotWorkers.computeIfAbsent(delivery.tenant(), absent -> ConcurrentHashMap.newKeySet()).add(worker);
            }
            if (stoppedWorkers.contains(worker)) {
                hanging.add(worker);
                stopped.await();
            }
            if (isToFail(delivery) && attempted.add(delivery.tenant() + delivery.id())) {
                return Outcome.retry("once");
            }
            if (stopped.getCount() > 0 && tenants.containsValue(delivery.tenant())) {
                done.computeIfAbsent(delivery.tenant(), absent -> ConcurrentHashMap.newKeySet()).add(delivery.id());
            }
            return Outcome.done();
        };
    }

    /**
     * A long attempt leaves its partition, so a consumer has stopped when all its slots are taken. One tenant alone
     * does not get them all when its attempts hang: some stay reserved. So each item is of another tenant.
     */
    private void fillSlots(
            Configuration configuration, Topics topics, Map<Integer, String> owners, List<Integer> partitions)
            throws InterruptedException {
        try (Producer<byte[], byte[]> producer = new KafkaClients(configuration.queue()).producer()) {
            for (int partition : partitions) {
                for (int i = 0; Collections.frequency(hanging, owners.get(partition)) < SLOTS; i++) {
                    String filler = "filler-" + partition + "-" + i;
                    producer.send(new ProducerRecord<>(
                            topics.lane(Lane.HOT), partition, bytes(filler), item(filler, "filler")));
                    Thread.sleep(100);
                }
            }
        }
    }

    private static boolean isToFail(Delivery delivery) {
        return delivery.id().hashCode() % 4 == 0;
    }

    private void awaitAll(Collection<String> wanted) {
        while (wanted.stream().anyMatch(tenant -> done.getOrDefault(tenant, Set.of()).size() < ITEMS)) {
            LockSupport.parkNanos(20_000_000);
        }
    }

    private Map<Integer, String> awaitOneWorkerForEachPartition(Topics topics) throws Exception {
        while (true) {
            Map<Integer, String> owners = new HashMap<>();
            for (MemberDescription member : kafka.admin().describeConsumerGroups(List.of(topics.workerGroup()))
                    .describedGroups().get(topics.workerGroup()).get().members()) {
                member.assignment().topicPartitions().stream()
                        .filter(partition -> partition.topic().equals(topics.lane(Lane.HOT)))
                        .forEach(partition -> owners.put(
                                partition.partition(), member.clientId().substring(topics.workerGroup().length() + 1)));
            }
            if (new HashSet<>(owners.values()).size() == PARTITIONS) {
                return owners;
            }
            LockSupport.parkNanos(100_000_000);
        }
    }

    private void assertHotWasOnItsShard(Map<Integer, String> owners) {
        tenants.forEach((shard, tenant) -> assertThat(hotWorkers.get(tenant))
                .as(tenant)
                .isSubsetOf(shard.stream().map(owners::get).toList()));
    }

    private void send(Configuration configuration, Topics topics, Collection<String> to, String id, int items) {
        try (Producer<byte[], byte[]> producer = new KafkaClients(configuration.queue()).producer()) {
            for (int i = 0; i < items; i++) {
                for (String tenant : to) {
                    producer.send(new ProducerRecord<>(topics.ingress(), bytes(tenant), item(tenant, id + "-" + i)));
                }
            }
        }
    }

    private byte[] item(String tenant, String id) {
        return codec.encode(new WorkItem(tenant, id, Instant.ofEpochMilli(System.currentTimeMillis()), "", null,
                "text/plain", Map.of(), ByteBuffer.wrap(bytes("payload"))));
    }

    private Map<String, String> environment() {
        Map<String, String> environment = new HashMap<>(SETTINGS);
        environment.put("SPILLWAY_KAFKA_BOOTSTRAP_SERVERS", kafka.bootstrapServers());
        environment.put("SPILLWAY_KAFKA_PREFIX", kafka.prefix());
        environment.put("SPILLWAY_TOPICS_REPLICATION", "1");
        return environment;
    }

    private static Map<List<Integer>, String> oneTenantOnEachShard() {
        ShuffleSharder sharder = new ShuffleSharder(PARTITIONS, 0);
        Map<List<Integer>, String> byShard = new HashMap<>();
        for (int i = 0; byShard.size() < SHARDS && i < 10_000; i++) {
            byShard.putIfAbsent(
                    Arrays.stream(sharder.shard("tenant-" + i, 2)).boxed().toList(), "tenant-" + i);
        }
        return byShard;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
