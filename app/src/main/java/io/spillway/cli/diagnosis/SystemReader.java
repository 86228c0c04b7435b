package io.spillway.cli.diagnosis;

import io.spillway.config.Configuration;
import io.spillway.core.item.Lane;
import io.spillway.core.overload.WorkerReport;
import io.spillway.kafka.topics.FirstUnfinished;
import io.spillway.kafka.topics.KafkaClients;
import io.spillway.kafka.topics.QueueAdmin;
import io.spillway.kafka.topics.QueueProgress;
import io.spillway.kafka.topics.Topics;
import io.spillway.kafka.view.CompactedView;
import io.spillway.kafka.view.Depths;
import io.spillway.kafka.view.LaneFlows;
import io.spillway.kafka.view.LaneStates;
import io.spillway.kafka.view.TenantPolicies;
import io.spillway.kafka.view.ViewContent;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.common.TopicPartition;

/**
 * Reader of the {@link SystemState}: follows the compacted topics of balances, policies and workers' statuses, and asks
 * the cluster for ingress and the members of groups. It writes nothing, and commits nothing. Owner of its clients; used
 * by one thread. Bound: {@code router.maxTenants} tenants.
 */
final class SystemReader implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    /** A live screen rather says that Kafka does not answer. */
    private static final int ANSWER_MILLIS = 10_000;
    /** Ages and members change slowly, and each reading costs the cluster some requests. */
    static final long READ_EVERY_MILLIS = 3_000;

    private final Configuration configuration;
    private final Topics topics;
    private final KafkaClients clients;
    private final InstantSource clock;
    /** Ends of what is opened, the last one first. */
    private final Deque<Runnable> closes = new ArrayDeque<>();
    private final Admin admin;
    private final Consumer<byte[], byte[]> consumer;
    private final TenantPolicies policies;
    private final Depths depths;
    private final LaneStates workers;
    private final LaneFlows flows;
    private SystemState.Readings readings = SystemState.Readings.NONE;
    private long readMillis = Long.MIN_VALUE;

    /** Reads the compacted topics, which takes a moment; throws {@code KafkaFailure} if one cannot be read. */
    SystemReader(Configuration configuration, InstantSource clock) {
        this.configuration = configuration;
        this.topics = new Topics(configuration.queue());
        this.clients = new KafkaClients(configuration.queue());
        this.clock = clock;
        try {
            this.admin = clients.admin(ANSWER_MILLIS);
            closes.push(admin::close);
            this.consumer = clients.consumer(Map.of(ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG, 64 * 1024));
            closes.push(consumer::close);
            this.policies = follow(topics.policies(), new TenantPolicies(configuration.defaults()));
            this.depths = follow(topics.depths(), new Depths());
            this.workers = follow(topics.laneState(), new LaneStates(clock));
        } catch (RuntimeException e) {
            close();
            throw e;
        }
        this.flows = new LaneFlows(depths);
    }

    private <C extends ViewContent<?>> C follow(String topic, C content) {
        CompactedView view = new CompactedView(
                clients, topic, content, configuration.router().maxTenants(), Optional.empty(), clock);
        closes.push(view::close);
        view.start(PATIENCE);
        return content;
    }

    TenantPolicies policies() {
        return policies;
    }

    /** Returns the state now. The rates of the lanes are known from the second call on. */
    SystemState read() {
        long nowMillis = clock.millis();
        flows.sample(nowMillis);
        if (readMillis == Long.MIN_VALUE || Math.abs(nowMillis - readMillis) >= READ_EVERY_MILLIS) {
            readings = readings(nowMillis);
            readMillis = nowMillis;
        }
        return SystemState.of(depths, flows.byLane(), policies::of, readings, nowMillis);
    }

    private SystemState.Readings readings(long nowMillis) {
        QueueAdmin queues = new QueueAdmin(admin, clients.commands());
        Map<String, String> laneOf = new HashMap<>();
        List<QueueProgress> parts = new ArrayList<>(queues.read(topics.ingress(), topics.routerGroup()));
        long ingress = parts.stream().mapToLong(QueueProgress::behind).sum();
        laneOf.put(topics.ingress(), SystemState.INGRESS);
        for (Lane lane : Lane.WORKED) {
            laneOf.put(topics.lane(lane), lane.label());
            parts.addAll(queues.readProgress(topics.lane(lane), topics.workerGroup(), false));
        }
        Map<String, Long> oldestMillis = new HashMap<>();
        Map<TopicPartition, Long> first = FirstUnfinished.millis(consumer, parts);
        first.forEach((partition, atMillis) ->
                oldestMillis.merge(laneOf.get(partition.topic()), nowMillis - atMillis, Math::max));
        Collection<WorkerReport> reports = workers.reports().values();
        return new SystemState.Readings(
                ingress, queues.read(topics.ledger(), topics.routerGroup()).stream()
                        .mapToLong(QueueProgress::behind).sum(),
                oldestMillis, Instances.read(admin, topics, nowMillis),
                reports.stream().mapToLong(WorkerReport::slots).sum(),
                reports.stream().mapToDouble(WorkerReport::handledPerSecond).sum());
    }

    @Override
    public void close() {
        while (!closes.isEmpty()) {
            closes.pop().run();
        }
    }
}
