package io.spillway.router;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.spillway.core.item.Lane;
import io.spillway.core.item.Printable;
import io.spillway.core.ratelimit.RateTable;
import io.spillway.kafka.topics.QueueAdmin;
import io.spillway.kafka.topics.QueuePartition;
import io.spillway.kafka.topics.Topics;
import io.spillway.kafka.view.Depths;
import io.spillway.router.feedback.UndecidedTransactions;
import io.spillway.router.ledger.DepthMetrics;
import io.spillway.router.route.RouterMetrics;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the router does beside routing, on one thread of its own: it looks how far each queue is behind, logs it when it
 * has changed, purges ingress and the delay lane below what is routed or kept as a timer and the ledger below what is in the
 * books, measures what waits and what stands still, forgets rate states that say nothing any more, and lets the busiest
 * tenants have the names among the metric series.
 *
 * <p>Every instance does this; purging twice does no harm. The first run is put off by a part of the period that comes
 * from the instance's name, so that instances started together do not ask together and one instance keeps its beat.
 */
final class Housekeeping implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Housekeeping.class);
    private static final long PERIOD_MILLIS = 10_000;
    private static final String INGRESS = "ingress";

    private final QueueAdmin admin;
    private final Topics topics;
    private final RateTable rates;
    private final RouterMetrics metrics;
    private final Depths depths;
    private final DepthMetrics depthMetrics;
    private final UndecidedTransactions undecided;
    private final InstantSource clock;
    private final Map<String, Long> behind = new ConcurrentHashMap<>();
    private final ScheduledExecutorService thread;
    private String lastLogged = "";

    Housekeeping(
            QueueAdmin admin, Topics topics, RateTable rates, RouterMetrics metrics, Depths depths,
            DepthMetrics depthMetrics, InstantSource clock, MeterRegistry registry) {
        this.admin = admin;
        this.topics = topics;
        this.rates = rates;
        this.metrics = metrics;
        this.depths = depths;
        this.depthMetrics = depthMetrics;
        this.undecided = new UndecidedTransactions(admin, queues().keySet(), registry);
        this.clock = clock;
        this.thread = Executors.newSingleThreadScheduledExecutor(
                Thread.ofPlatform().daemon().name("router-housekeeping").factory());
        for (String queue : queues().keySet()) {
            Gauge.builder("spillway.lane.lag", behind, all -> all.getOrDefault(queue, 0L))
                    .description("Offsets of a queue that its readers have not finished; counts transaction markers too")
                    .tag("lane", queue)
                    .register(registry);
        }
    }

    void start(String instance) {
        long offset = Math.floorMod(instance.hashCode(), PERIOD_MILLIS);
        thread.scheduleWithFixedDelay(this::runSafely, offset, PERIOD_MILLIS, TimeUnit.MILLISECONDS);
    }

    @Override
    public void close() {
        thread.shutdownNow();
        try {
            if (!thread.awaitTermination(2, TimeUnit.SECONDS)) {
                LOG.debug("Housekeeping is still waiting for Kafka");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** One failure must not end the periodic work. */
    private void runSafely() {
        try {
            rates.prune(TimeUnit.MILLISECONDS.toNanos(clock.millis()));
            metrics.electTenants();
            Map<String, List<QueuePartition>> queues = measure();
            depthMetrics.measure(clock.millis());
            undecided.look(queues, clock.millis());
            purgeLedger();
            admin.purgeFinished(queues.get(INGRESS));
            admin.purgeFinished(queues.get(Lane.DELAY.label()));
            if (topics.assignsShards()) {
                admin.purgeFinished(topics.shardRequests(), topics.routerGroup());
            }
        } catch (RuntimeException e) {
            if (thread.isShutdown()) {
                return;
            }
            LOG.warn("Housekeeping failed and is tried again in {} s: {}", PERIOD_MILLIS / 1000, Printable.of(e.getMessage()));
        }
    }

    /** Below what is in everybody's books: what is only committed is read again by a stage that begins. */
    private void purgeLedger() {
        Map<TopicPartition, Long> folded = new HashMap<>();
        for (QueuePartition part : admin.read(topics.ledger(), topics.routerGroup())) {
            long foldedTo = depths.foldedTo(part.partition().partition());
            if (foldedTo > part.start()) {
                folded.put(part.partition(), foldedTo);
            }
        }
        if (!folded.isEmpty()) {
            admin.purgeBelow(folded);
        }
    }

    private Map<String, List<QueuePartition>> measure() {
        Map<String, List<QueuePartition>> read = new LinkedHashMap<>();
        StringJoiner line = new StringJoiner(" ");
        queues().forEach((queue, topicAndGroup) -> {
            List<QueuePartition> parts = admin.read(topicAndGroup.topic(), topicAndGroup.group());
            read.put(queue, parts);
            long sum = parts.stream().mapToLong(QueuePartition::behind).sum();
            behind.put(queue, sum);
            line.add(queue + "=" + sum);
        });
        if (!line.toString().equals(lastLogged)) {
            lastLogged = line.toString();
            LOG.info("Waiting (offsets): {}", line);
        }
        return read;
    }

    private Map<String, Queue> queues() {
        Map<String, Queue> queues = new LinkedHashMap<>();
        queues.put(INGRESS, new Queue(topics.ingress(), topics.routerGroup()));
        for (Lane lane : Lane.values()) {
            queues.put(lane.label(), new Queue(topics.lane(lane), lane == Lane.DELAY ? topics.routerGroup() : topics.workerGroup()));
        }
        return queues;
    }

    private record Queue(String topic, String group) {}
}
