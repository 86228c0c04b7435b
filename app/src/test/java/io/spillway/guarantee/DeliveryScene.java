package io.spillway.guarantee;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.spillway.audit.Audit;
import io.spillway.audit.Census;
import io.spillway.config.Configuration;
import io.spillway.config.ConfigurationLoader;
import io.spillway.core.item.ItemState;
import io.spillway.core.item.Lane;
import io.spillway.core.ledger.AuditedTenant;
import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.PolicySettings;
import io.spillway.handler.Handler;
import io.spillway.kafka.codec.RecordCodec;
import io.spillway.kafka.periodic.StartDelays;
import io.spillway.kafka.topics.KafkaClients;
import io.spillway.kafka.topics.QueueAdmin;
import io.spillway.kafka.topics.QueueProgress;
import io.spillway.kafka.topics.TopicAdmin;
import io.spillway.kafka.topics.Topics;
import io.spillway.kafka.view.CompactedView;
import io.spillway.kafka.view.PlacementView;
import io.spillway.kafka.view.ShardAssignments;
import io.spillway.kafka.view.Sweeps;
import io.spillway.kafka.view.TenantPolicies;
import io.spillway.kafka.view.ViewContent;
import io.spillway.router.Router;
import io.spillway.schema.WorkItem;
import io.spillway.tracing.Tracing;
import io.spillway.worker.Worker;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.function.IntPredicate;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;

/**
 * Queue on a real Kafka, with an optional router and workers in this process, wired as in {@code spillway run}. Not
 * thread-safe. Owner of its parts, which end with it.
 */
final class DeliveryScene implements AutoCloseable {
    private static final Duration START_TIMEOUT = Duration.ofMinutes(4);

    final Configuration configuration;
    final Topics topics;
    private final Map<String, String> environment;
    private final Path directory;
    private Optional<Router> router = Optional.empty();
    private final QueueAdmin queues;
    private final Admin admin;
    private final RecordCodec<WorkItem> codec = new RecordCodec<>(new WorkItem());
    private final Deque<Runnable> closings = new ArrayDeque<>();
    private final List<String> origins = new ArrayList<>();
    private final SimpleMeterRegistry routerMetrics = new SimpleMeterRegistry();
    private final TenantPolicies policies;
    private final Sweeps sweeps = new Sweeps();

    /**
     * Creates the topics.
     *
     * @param directory directory for state and the data of processes
     * @param more      settings as {@code SPILLWAY_…} variables
     */
    DeliveryScene(String bootstrapServers, String prefix, Path directory, Map<String, String> more) {
        this.directory = directory;
        environment = new HashMap<>(Map.of(
                "SPILLWAY_KAFKA_BOOTSTRAP_SERVERS", bootstrapServers,
                "SPILLWAY_KAFKA_PREFIX", prefix,
                "SPILLWAY_TOPICS_PARTITIONS", "4",
                "SPILLWAY_TOPICS_REPLICATION", "1",
                "SPILLWAY_METRICS_PORT", "0",
                "SPILLWAY_WORKER_SLOTS", "20"));
        environment.putAll(more);
        configuration = ConfigurationLoader.load(Optional.empty(), environment, Map.of());
        topics = new Topics(configuration.queue());
        KafkaClients clients = new KafkaClients(configuration.queue());
        admin = opened(clients.admin(), Admin::close);
        queues = new QueueAdmin(admin);
        new TopicAdmin(admin).createMissing(topics.all());
        policies = new TenantPolicies(configuration.defaults());
        follow(clients, topics.policies(), policies);
        follow(clients, topics.sweeps(), sweeps);
    }

    /** Returns the settings for another process. */
    Map<String, String> environment() {
        return environment;
    }

    /** Starts a router in this process. */
    DeliveryScene withRouter() {
        router = Optional.of(opened(new Router(configuration, "router", directory.resolve("state"), policies, sweeps,
                new ShardAssignments(), routerMetrics, InstantSource.system(), System::nanoTime), Router::close));
        router.get().start(START_TIMEOUT);
        return this;
    }

    MeterRegistry routerMetrics() {
        return routerMetrics;
    }

    /** Starts a worker in this process; it has joined the group when this returns. */
    Worker startWorker(String name, Handler handler) {
        return startWorker(name, handler, Tracing.OFF);
    }

    /** Starts a worker with spans in this process; it has joined the group when this returns. */
    Worker startWorker(String name, Handler handler, Tracing tracing) {
        Worker worker = opened(new Worker(configuration.queue(), configuration.worker(),
                configuration.metrics().tenants(), name, StartDelays.of(name), handler, policies, sweeps,
                new SimpleMeterRegistry(), tracing, InstantSource.system(), System::nanoTime, new SplittableRandom()),
                Worker::close);
        worker.start(START_TIMEOUT);
        router.ifPresent(one -> one.startWith(worker::startEarly));
        return worker;
    }

    /** Sets one policy field of a tenant, as {@code tenants set} does, and waits until this process has read it. */
    void setPolicy(String tenant, PolicyField field, String value) throws Exception {
        setPolicy(tenant, PolicySettings.NONE_SET.with(field, value));
    }

    /** Sets the policy of a tenant in the same way. */
    void setPolicy(String tenant, PolicySettings settings) throws Exception {
        try (Producer<byte[], byte[]> producer = new KafkaClients(configuration.queue()).producer()) {
            producer.send(new ProducerRecord<>(
                    topics.policies(), bytes(tenant), TenantPolicies.encode(tenant, settings))).get();
        }
        while (!policies.own(tenant).equals(settings)) {
            LockSupport.parkNanos(2_000_000);
        }
    }

    /** Records a sweep or cancel and waits until this process has read it. */
    void mark(Sweeps.Mark mark) throws Exception {
        write(mark.target().key(), Sweeps.encode(mark));
        while (!sweeps.contains(mark.target().key())) {
            LockSupport.parkNanos(2_000_000);
        }
    }

    private void write(String key, byte[] mark) throws Exception {
        try (Producer<byte[], byte[]> producer = new KafkaClients(configuration.queue()).producer()) {
            producer.send(new ProducerRecord<>(topics.sweeps(), bytes(key), mark)).get();
        }
    }

    /** Waits until all items of ingress are routed. */
    void awaitRouted() {
        while (behind(topics.ingress(), topics.routerGroup()) > 0) {
            LockSupport.parkNanos(10_000_000);
        }
    }

    /**
     * Sends items to ingress with ids from {@code PREFIX-0}, for ten tenants in turn, and returns the ids.
     *
     * @param payloads payload by the number of the item
     */
    List<String> send(String idPrefix, int count, IntFunction<String> payloads) throws Exception {
        return send(idPrefix, count, i -> "tenant-" + i % 10, payloads, Map.of());
    }

    /**
     * Sends items to ingress with ids from {@code PREFIX-0}.
     *
     * @param tenants  tenant by the number of the item
     * @param payloads payload by the number of the item
     * @param headers  of all items
     */
    List<String> send(
            String idPrefix, int count, IntFunction<String> tenants, IntFunction<String> payloads,
            Map<String, String> headers) throws Exception {
        List<String> ids = new ArrayList<>();
        List<Future<RecordMetadata>> sends = new ArrayList<>();
        try (Producer<byte[], byte[]> producer = new KafkaClients(configuration.queue()).producer()) {
            for (int i = 0; i < count; i++) {
                String tenant = tenants.apply(i);
                ids.add(idPrefix + "-" + i);
                byte[] value = codec.encode(new WorkItem(
                        tenant, ids.getLast(), Instant.ofEpochMilli(System.currentTimeMillis()), "", null, "text/plain",
                        Map.of(), ByteBuffer.wrap(bytes(payloads.apply(i)))));
                ProducerRecord<byte[], byte[]> record =
                        new ProducerRecord<>(topics.ingress(), bytes(tenant + i), value);
                headers.forEach((name, text) -> record.headers().add(name, bytes(text)));
                sends.add(producer.send(record));
            }
        }
        for (Future<RecordMetadata> sent : sends) {
            RecordMetadata at = sent.get();
            origins.add(at.topic() + "-" + at.partition() + "-" + at.offset());
        }
        return ids;
    }

    /** Waits until {@link #isEmpty}. */
    void awaitEmpty() {
        while (!isEmpty()) {
            LockSupport.parkNanos(50_000_000);
        }
    }

    /** Returns whether the groups have finished all records of ingress and the lanes, and nothing waits in delay. */
    boolean isEmpty() {
        return behind(topics.ingress(), topics.routerGroup()) + behind(topics.lane(Lane.HOT), topics.workerGroup())
                + behind(topics.lane(Lane.OVERFLOW), topics.workerGroup())
                + behind(topics.lane(Lane.AGED), topics.workerGroup()) == 0 && isDelayEmpty();
    }

    /** Counts items: offsets would not do, because Kafka Streams does not commit past records that were aborted. */
    private boolean isDelayEmpty() {
        AtomicBoolean isEmpty = new AtomicBoolean(true);
        try (Census census = new Census(configuration, InstantSource.system())) {
            census.forEach(false, item -> isEmpty.compareAndSet(true, item.place() != ItemState.DELAY));
        }
        return isEmpty.get();
    }

    /** Fails unless the ledger balances, agrees with the items in the topics, and has so many items done. */
    void assertBalance(int done) {
        assertBalance(done, 0);
    }

    /** As the other, with so many items dropped. */
    void assertBalance(int done, int dropped) {
        try (Census census = new Census(configuration, InstantSource.system())) {
            List<AuditedTenant> audited = Audit.confirmed(census);
            assertThat(audited).flatMap(AuditedTenant::findings).isEmpty();
            assertThat(audited.stream().mapToLong(tenant -> tenant.after().in(ItemState.DONE)).sum())
                    .as("done, by the ledger").isEqualTo(done);
            assertThat(audited.stream().mapToLong(tenant -> tenant.after().in(ItemState.DROPPED)).sum())
                    .as("dropped, by the ledger").isEqualTo(dropped);
        }
    }

    /** Returns the {@code topic-partition-offset} of all sent items. */
    List<String> origins() {
        return List.copyOf(origins);
    }

    @Override
    public void close() {
        while (!closings.isEmpty()) {
            closings.pop().run();
        }
    }

    /** Returns how many records of a lane are unfinished in the partitions with these numbers. */
    long behind(Lane lane, IntPredicate partitions) {
        return queues.read(topics.lane(lane), topics.workerGroup()).stream()
                .filter(progress -> partitions.test(progress.partition().partition()))
                .mapToLong(QueueProgress::behind).sum();
    }

    /** Waits until a tenant has partitions of each lane alone, and returns them. */
    List<Integer> awaitDedicated(String tenant) {
        PlacementView placements = new PlacementView(configuration.queue(), policies, new ShardAssignments());
        while (placements.dedications().dedication().of(tenant).isEmpty()) {
            LockSupport.parkNanos(2_000_000);
        }
        return placements.dedications().dedication().of(tenant);
    }

    private long behind(String topic, String group) {
        return queues.read(topic, group).stream().mapToLong(QueueProgress::behind).sum();
    }

    private <T> T opened(T part, Consumer<T> close) {
        closings.push(() -> close.accept(part));
        return part;
    }

    private void follow(KafkaClients clients, String topic, ViewContent<?> content) {
        opened(new CompactedView(clients, topic, content, 1_000, Optional.empty(), InstantSource.system()),
                CompactedView::close).start(START_TIMEOUT);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
