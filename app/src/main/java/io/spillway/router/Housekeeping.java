package io.spillway.router;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.TimeGauge;
import io.spillway.core.item.Lane;
import io.spillway.core.overload.ArrivalHistory;
import io.spillway.core.ratelimit.RateTable;
import io.spillway.kafka.metrics.TenantMeters;
import io.spillway.kafka.periodic.PeriodicTask;
import io.spillway.kafka.periodic.StartDelays;
import io.spillway.kafka.topics.QueueAdmin;
import io.spillway.kafka.topics.QueueProgress;
import io.spillway.kafka.topics.Topics;
import io.spillway.kafka.view.Depths;
import io.spillway.router.feedback.UndecidedTransactions;
import io.spillway.router.ledger.DepthMetrics;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.StringJoiner;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Periodic work of the router beside routing, on its own thread:
 * <ul>
 * <li>measures queue lags, backlogs and undecided transactions, and logs lags that changed;
 * <li>purges ingress and the delay lane below the routed offset, and the ledger below the offset in all balances;
 * <li>marks the local state as current ({@link LocalState});
 * <li>discards rate states that are no longer needed and gives metric series to the busiest tenants.
 * </ul>
 *
 * <p>Every instance runs it, because purging twice is harmless.
 */
final class Housekeeping implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Housekeeping.class);
    private static final long PERIOD_MILLIS = 10_000;
    private static final String INGRESS = "ingress";
    private static final String LEDGER = "ledger";

    private final QueueAdmin admin;
    private final Topics topics;
    private final RateTable rates;
    private final List<Runnable> chores;
    private final Depths depths;
    private final DepthMetrics depthMetrics;
    private final UndecidedTransactions undecided;
    private final InstantSource clock;
    private final Runnable markState;
    private final LongSupplier nanoClock;
    private final Map<String, Long> lags = new ConcurrentHashMap<>();
    /** Bound: the partitions of ingress. */
    private final Map<TopicPartition, ArrivalHistory> arrivals = new HashMap<>();
    private final AtomicLong unroutedMillis = new AtomicLong();
    private final PeriodicTask task;
    private final Map<String, Queue> queues;
    /** Topics that views and restores read up to the first undecided transaction. */
    private final Map<String, String> states;
    private String lastLogged = "";

    /** Creates periodic work that {@link #start} starts; chores are done each time, before anything is measured. */
    Housekeeping(
            QueueAdmin admin, Topics topics, RateTable rates, List<Runnable> chores, Depths depths,
            DepthMetrics depthMetrics, InstantSource clock, LongSupplier nanoClock, MeterRegistry registry,
            Runnable markState) {
        this.admin = admin;
        this.topics = topics;
        this.rates = rates;
        this.chores = List.copyOf(chores);
        this.depths = depths;
        this.depthMetrics = depthMetrics;
        this.queues = queues(topics);
        this.states = Map.of("depths", topics.depths(), "timers", topics.timersChangelog(),
                "balances", topics.balancesChangelog());
        Set<String> measured = new HashSet<>(queues.keySet());
        measured.add(LEDGER);
        Set<String> read = new HashSet<>(measured);
        read.addAll(states.keySet());
        this.undecided = new UndecidedTransactions(admin, read, nanoClock, registry);
        this.clock = clock;
        this.nanoClock = nanoClock;
        this.markState = markState;
        this.task = new PeriodicTask("router-housekeeping", this::run, failure ->
                LOG.warn("Housekeeping failed; trying again in {} s: {}", PERIOD_MILLIS / 1000, failure));
        for (String queue : measured) {
            Gauge.builder("spillway.lane.lag", lags, all -> all.getOrDefault(queue, 0L))
                    .description("Offsets of a queue that its readers have not finished, transaction markers included")
                    .tag("lane", queue)
                    .register(registry);
        }
        TimeGauge.builder("spillway.oldest_waiting", unroutedMillis, TimeUnit.MILLISECONDS, AtomicLong::get)
                .description("Time for which a record of ingress has certainly waited to be routed")
                .tag("lane", INGRESS).tag("tenant", TenantMeters.OTHERS)
                .register(registry);
    }

    void start(StartDelays delays) {
        task.start(delays, PERIOD_MILLIS);
    }

    @Override
    public void close() {
        task.close();
    }

    private void run() {
        rates.prune(TimeUnit.MILLISECONDS.toNanos(clock.millis()));
        chores.forEach(Runnable::run);
        Map<String, List<QueueProgress>> partitions = measure();
        depthMetrics.measure(clock.millis());
        List<QueueProgress> ledger = admin.read(topics.ledger(), topics.routerGroup());
        Map<String, List<QueueProgress>> all = new HashMap<>(partitions);
        all.put(LEDGER, ledger);
        lags.put(LEDGER, ledger.stream().mapToLong(QueueProgress::behind).sum());
        states.forEach((state, topic) -> all.put(state, admin.read(topic, topics.routerGroup())));
        undecided.measure(all);
        // Below the mark, not below the commit: a fold task that starts reads the ledger again from the mark.
        admin.purge(ledger, part -> depths.foldedTo(part.partition().partition()));
        admin.purgeFinished(partitions.get(INGRESS));
        admin.purgeFinished(partitions.get(Lane.DELAY.label()));
        if (topics.assignsShards()) {
            admin.purgeFinished(topics.shardRequests(), topics.routerGroup());
        }
        // Last, because it is current only while Kafka answers.
        markState.run();
    }

    private Map<String, List<QueueProgress>> measure() {
        Map<String, List<QueueProgress>> read = new LinkedHashMap<>();
        StringJoiner line = new StringJoiner(" ");
        queues.forEach((queue, topicAndGroup) -> {
            List<QueueProgress> parts = admin.read(topicAndGroup.topic(), topicAndGroup.group());
            read.put(queue, parts);
            long sum = parts.stream().mapToLong(QueueProgress::behind).sum();
            lags.put(queue, sum);
            line.add(queue + "=" + sum);
        });
        long nowMillis = TimeUnit.NANOSECONDS.toMillis(nanoClock.getAsLong());
        unroutedMillis.set(read.get(INGRESS).stream().mapToLong(part -> arrivals
                .computeIfAbsent(part.partition(), absent -> new ArrivalHistory())
                .waitedMillis(part.from(), part.end(), nowMillis)).max().orElse(0));
        if (!line.toString().equals(lastLogged)) {
            lastLogged = line.toString();
            LOG.info("Lag in offsets: {}", line);
        }
        return read;
    }

    private static Map<String, Queue> queues(Topics topics) {
        Map<String, Queue> queues = new LinkedHashMap<>();
        queues.put(INGRESS, new Queue(topics.ingress(), topics.routerGroup()));
        for (Lane lane : Lane.values()) {
            String group = lane == Lane.DELAY ? topics.routerGroup() : topics.workerGroup();
            queues.put(lane.label(), new Queue(topics.lane(lane), group));
        }
        return queues;
    }

    private record Queue(String topic, String group) {}
}
