package io.spillway.router;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.kafka.KafkaStreamsMetrics;
import io.spillway.config.Configuration;
import io.spillway.core.item.ItemLimits;
import io.spillway.core.item.Printable;
import io.spillway.core.overload.HotGuard;
import io.spillway.core.ratelimit.RateShares;
import io.spillway.core.ratelimit.RateTable;
import io.spillway.kafka.codec.ItemReader;
import io.spillway.kafka.codec.ItemSchemas;
import io.spillway.kafka.topics.InitialOffsets;
import io.spillway.kafka.topics.KafkaClients;
import io.spillway.kafka.topics.QueueAdmin;
import io.spillway.kafka.topics.Topics;
import io.spillway.kafka.view.CompactedView;
import io.spillway.kafka.view.Depths;
import io.spillway.kafka.view.PlacementView;
import io.spillway.kafka.view.ShardAssignments;
import io.spillway.kafka.view.Sweeps;
import io.spillway.kafka.view.TenantPolicies;
import io.spillway.router.delay.DelayMetrics;
import io.spillway.router.delay.DelayProcessor;
import io.spillway.router.delay.DelayReader;
import io.spillway.router.delay.TimerStoreMemory;
import io.spillway.router.feedback.HotLaneMonitor;
import io.spillway.router.feedback.RateExchange;
import io.spillway.router.feedback.WorkReader;
import io.spillway.router.ledger.DepthMetrics;
import io.spillway.router.ledger.FoldProcessor;
import io.spillway.router.ledger.LedgerGap;
import io.spillway.router.ledger.LedgerRecorder;
import io.spillway.router.route.Decider;
import io.spillway.router.route.DueDecider;
import io.spillway.router.route.GrownLimits;
import io.spillway.router.route.IngressDecider;
import io.spillway.router.route.ItemRules;
import io.spillway.router.route.PartitionSelector;
import io.spillway.router.route.RouteProcessor;
import io.spillway.router.route.RouterMetrics;
import io.spillway.router.route.ShardDemand;
import io.spillway.router.shards.ShardProcessor;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.streams.CloseOptions;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.errors.StreamsUncaughtExceptionHandler.StreamThreadExceptionResponse;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The router as a running thing: started once, closed once. Owner of its Kafka Streams client and its rate table. */
public final class Router implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Router.class);
    /** A few seconds of what a lane's leader accepts in one request; the largest single lever on throughput. */
    private static final int BATCH_BYTES = 256 * 1024;
    /** What one partition brings at once, the others of its thread wait for: a flood of small items in four parts, not in one. */
    private static final int FETCH_BYTES = 256 * 1024;
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(20);

    private final Configuration configuration;
    private final KafkaClients clients;
    private final Topics topics;
    private final MeterRegistry registry;
    private final InstantSource clock;
    private final String instance;
    private final KafkaStreams streams;
    private final KafkaStreamsMetrics streamsMetrics;
    private final Admin admin;
    private final Housekeeping housekeeping;
    private final WorkReader workReader;
    private final RateExchange exchange;
    private final HotLaneMonitor hotWatch;
    private final CompactedView depthsView;
    private final RestoreProgress restore = new RestoreProgress();
    private final ThreadReplacement replacement = new ThreadReplacement();
    private final CountDownLatch running = new CountDownLatch(1);
    private final CountDownLatch ended = new CountDownLatch(1);

    /**
     * Makes a router that {@link #start} brings to life.
     *
     * @param configuration the whole configuration, with a cluster in it
     * @param instance      name of this process, the same after a restart: for its clients' names and the beat of its
     *                      periodic work
     * @param stateDirectory where Kafka Streams may keep its state
     * @param policies      the view of the policies, already filled
     * @param sweeps        the view of the sweeps, already filled
     * @param registry      where its metrics go
     * @param clock         for the supervision of its threads and the age of local state; routing itself takes its time from Kafka Streams
     */
    public Router(
            Configuration configuration,
            String instance,
            Path stateDirectory,
            TenantPolicies policies,
            Sweeps sweeps,
            MeterRegistry registry,
            InstantSource clock) {
        this(configuration, instance, stateDirectory, policies, sweeps, ShardAssignments.none(), registry, clock);
    }

    /** A router that keeps no books, to measure what they cost. What it moves is missing in everybody's depth. */
    public static Router withoutBooks(
            Configuration configuration, String instance, Path stateDirectory, TenantPolicies policies, Sweeps sweeps,
            MeterRegistry registry, InstantSource clock) {
        return new Router(configuration, instance, stateDirectory, policies, sweeps, ShardAssignments.none(), registry, clock, false);
    }

    /**
     * As above, where shards are assigned.
     *
     * @param assignments the view of the assigned shards, already filled
     */
    public Router(
            Configuration configuration,
            String instance,
            Path stateDirectory,
            TenantPolicies policies,
            Sweeps sweeps,
            ShardAssignments assignments,
            MeterRegistry registry,
            InstantSource clock) {
        this(configuration, instance, stateDirectory, policies, sweeps, assignments, registry, clock, true);
    }

    private Router(
            Configuration configuration, String instance, Path stateDirectory, TenantPolicies policies, Sweeps sweeps,
            ShardAssignments assignments, MeterRegistry registry, InstantSource clock, boolean withBooks) {
        this.configuration = configuration;
        this.clients = new KafkaClients(configuration.queue());
        this.topics = new Topics(configuration.queue());
        this.registry = registry;
        this.clock = clock;
        this.instance = instance;
        RateShares shares = new RateShares();
        Depths depths = new Depths();
        this.depthsView = new CompactedView(
                clients, topics.depths(), depths, configuration.router().maxTenants(), Optional.empty(), clock);
        this.exchange = new RateExchange(clients, topics, instance, shares, clock);
        long seed = ((long) instance.hashCode() << 32) ^ clock.millis();
        RateTable rates = new RateTable(configuration.router().maxTenants(), seed, shares);
        HotGuard guard = new HotGuard(configuration.router().protection(), seed);
        RouterMetrics metrics = new RouterMetrics(registry, configuration.metrics().tenants());
        this.admin = clients.admin();
        this.workReader = new WorkReader(new QueueAdmin(admin), topics, configuration.shards().stuckAfter(), clock);
        this.hotWatch = new HotLaneMonitor(clients, topics, guard, () -> workReader.latest().hot(), exchange::routers, clock);
        PlacementView placements = new PlacementView(configuration.queue(), policies, assignments);
        PartitionSelector placer = new PartitionSelector(placements, topics.partitions(), workReader::latest);
        ShardDemand demand = new ShardDemand(topics.assignsShards(), placements, assignments);
        GrownLimits limits = new GrownLimits(depths, configuration.router().maxTenants());
        ItemRules rules = new ItemRules(policies, sweeps, rates, limits, guard, metrics, placer, demand);
        LedgerRecorder bookkeeping = withBooks
                ? new LedgerRecorder(topics, seed)
                : LedgerRecorder.none(topics);
        Topology topology = topology(rules, metrics, bookkeeping);
        RouterTopology.withBooks(topology, topics, () -> new FoldProcessor(
                LedgerGap.inKafka(clients, topics), tenant -> policies.of(tenant).growth(), seed));
        if (topics.assignsShards()) {
            RouterTopology.withShards(topology, topics, () -> new ShardProcessor(
                    placements, configuration.shards().seed(), configuration.router().maxTenants()));
        }
        // Before Kafka Streams touches the directory.
        boolean isStale = StaleState.isIn(stateDirectory.resolve(topics.routerGroup()), clock.millis());
        this.streams = new KafkaStreams(topology, new StreamsConfig(properties(stateDirectory)),
                new RouterClients(bookkeeping, clock));
        if (isStale) {
            LOG.info("The timers in {} are too old to go on from and are restored from Kafka", Printable.of(stateDirectory.toString()));
            streams.cleanUp();
        }
        this.streamsMetrics = new KafkaStreamsMetrics(streams);
        this.housekeeping = new Housekeeping(new QueueAdmin(admin), topics, rates, metrics, depths,
                new DepthMetrics(registry, configuration.metrics().tenants(), depths, policies), clock, registry);
        workReader.bindTo(registry);
        hotWatch.bindTo(registry);
        Gauge.builder("spillway.router.rate_states", rates, RateTable::size)
                .description("Tenants whose rate is being measured in this process")
                .register(registry);
        FunctionCounter.builder("spillway.router.rate_unmeasured", rates, RateTable::unmeasured)
                .description("Items let through unmeasured because router.maxTenants was reached")
                .register(registry);
    }

    /**
     * Starts, and returns when records are being routed and all timers are restored. Ingress is routed before that.
     *
     * @param timeout how long it may take without any progress in restoring
     * @throws RouterException when it cannot start in this time, or its offsets are lost
     */
    public void start(Duration timeout) {
        new InitialOffsets(new QueueAdmin(admin), topics, RouterException::new).commitForRouters();
        streams.setStateListener((now, before) -> onState(now));
        streams.setGlobalStateRestoreListener(restore);
        streams.setUncaughtExceptionHandler(this::onThreadDeath);
        exchange.start(timeout);
        depthsView.start(timeout);
        workReader.start(instance);
        hotWatch.start(timeout);
        streams.start();
        streamsMetrics.bindTo(registry);
        try {
            long before;
            do {
                before = restore.events();
            } while (!running.await(timeout.toMillis(), TimeUnit.MILLISECONDS) && restore.events() > before);
            if (running.getCount() > 0 || !isRunning()) {
                throw new RouterException("the router is not running after " + timeout.toSeconds() + " s (it is "
                        + streams.state() + "); the log says why");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new RouterException("interrupted while the router started");
        }
        housekeeping.start(instance);
    }

    /** Whether it routes, or does so again as soon as a rebalance ends. */
    public boolean isRunning() {
        return streams.state().isRunningOrRebalancing();
    }

    /** Waits until it has ended, by {@link #close} or by a fault that it does not recover from. */
    public void awaitEnd() throws InterruptedException {
        ended.await();
    }

    /** Commits what is under way and leaves the group, so that others take over at once; 20 s at most. */
    @Override
    public void close() {
        housekeeping.close();
        workReader.close();
        hotWatch.close();
        exchange.close();
        depthsView.close();
        streamsMetrics.close();
        // Without leaving, a close during a rebalance blocks for the session timeout.
        boolean clean = streams.close(CloseOptions.timeout(CLOSE_TIMEOUT)
                .withGroupMembershipOperation(CloseOptions.GroupMembershipOperation.LEAVE_GROUP));
        admin.close(Duration.ZERO);
        LOG.info("Router stopped{}", clean ? "" : " late: its threads did not end within " + CLOSE_TIMEOUT.toSeconds() + " s");
    }

    private void onState(KafkaStreams.State state) {
        LOG.debug("Router is {}", state);
        switch (state) {
            case RUNNING -> running.countDown();
            case ERROR, NOT_RUNNING -> {
                running.countDown();
                ended.countDown();
            }
            default -> { }
        }
    }

    private StreamThreadExceptionResponse onThreadDeath(Throwable fault) {
        LOG.error("A stream thread died: {}", Printable.of(fault.toString()), fault.getCause());
        return replacement.allows(clock.millis())
                ? StreamThreadExceptionResponse.REPLACE_THREAD
                : StreamThreadExceptionResponse.SHUTDOWN_CLIENT;
    }

    private Topology topology(ItemRules rules, RouterMetrics metrics, LedgerRecorder bookkeeping) {
        ItemSchemas schemas = ItemSchemas.load();
        Decider fresh = new IngressDecider(new ItemReader(schemas, topics.ingressMaxBytes()), rules);
        ItemReader delayed = new ItemReader(schemas, topics.delayedMaxBytes(), ItemLimits.MAX_LANE_HEADERS);
        Decider due = new DueDecider(delayed, rules);
        DelayReader delayReader = new DelayReader(delayed);
        DelayMetrics delays = new DelayMetrics(registry, clock);
        int threads = configuration.router().threads();
        return RouterTopology.build(
                topics,
                () -> new RouteProcessor(fresh, metrics, bookkeeping),
                () -> new DelayProcessor(delayReader, due, metrics, delays, threads, clock, topics, bookkeeping));
    }

    private Map<String, Object> properties(Path stateDirectory) {
        Map<String, Object> properties = new HashMap<>(clients.common());
        properties.put(StreamsConfig.STATE_DIR_CONFIG, stateDirectory.toString());
        properties.put(StreamsConfig.NUM_STREAM_THREADS_CONFIG, configuration.router().threads());
        properties.put(StreamsConfig.COMMIT_INTERVAL_MS_CONFIG, configuration.router().commitInterval().toMillis());
        properties.put(StreamsConfig.producerPrefix(ProducerConfig.BATCH_SIZE_CONFIG), BATCH_BYTES);
        properties.put(StreamsConfig.producerPrefix(ProducerConfig.RETRY_BACKOFF_MS_CONFIG), 5);
        // A task reads one partition, so there is no order among several to wait for; looking for it made a set and a
        // string builder for each record.
        properties.put(StreamsConfig.MAX_TASK_IDLE_MS_CONFIG, StreamsConfig.MAX_TASK_IDLE_MS_DISABLED);
        properties.put("processing.exception.handler.global.enabled", true);
        // A router that was killed is missed after 10 s; Kafka's default of 45 s would leave its partitions standing.
        properties.put(StreamsConfig.mainConsumerPrefix(ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG), 10_000);
        properties.put(StreamsConfig.mainConsumerPrefix(ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG), FETCH_BYTES);
        properties.put(StreamsConfig.ROCKSDB_CONFIG_SETTER_CLASS_CONFIG, TimerStoreMemory.class);
        properties.putAll(configuration.router().properties());
        // Without a name of its own each start would make a new set of metric series.
        properties.put(StreamsConfig.CLIENT_ID_CONFIG, topics.routerGroup() + "-" + instance);
        // What the guarantees rest on is not open to configuration.
        properties.put(StreamsConfig.APPLICATION_ID_CONFIG, topics.routerGroup());
        properties.put(StreamsConfig.PROCESSING_GUARANTEE_CONFIG, StreamsConfig.EXACTLY_ONCE_V2);
        properties.put(StreamsConfig.REPLICATION_FACTOR_CONFIG, configuration.topics().replication());
        // A store that another instance has taken over must be gone here before its changelog forgets what was removed.
        properties.put(StreamsConfig.STATE_CLEANUP_DELAY_MS_CONFIG, 600_000L);
        properties.put(
                StreamsConfig.producerPrefix(ProducerConfig.MAX_REQUEST_SIZE_CONFIG),
                topics.deadLetterMaxBytes() + Topics.LANE_HEADROOM_BYTES);
        properties.put(StreamsConfig.producerPrefix(ProducerConfig.ACKS_CONFIG), "all");
        properties.put(StreamsConfig.consumerPrefix(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG), "none");
        return properties;
    }
}
