package io.spillway.router;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.binder.kafka.KafkaStreamsMetrics;
import io.spillway.config.Configuration;
import io.spillway.config.RouterSettings;
import io.spillway.core.item.ItemLimits;
import io.spillway.core.overload.DiskRoom;
import io.spillway.core.overload.Fleet;
import io.spillway.core.ratelimit.ProportionalRates;
import io.spillway.core.ratelimit.RateTable;
import io.spillway.core.retry.UnreachableSubscriptions;
import io.spillway.core.routing.ItemEnds;
import io.spillway.core.routing.ItemPlacement;
import io.spillway.core.routing.ItemRouter;
import io.spillway.core.text.Printable;
import io.spillway.kafka.codec.ItemReader;
import io.spillway.kafka.codec.ItemSchemas;
import io.spillway.kafka.periodic.ClockWatch;
import io.spillway.kafka.periodic.StartDelays;
import io.spillway.kafka.topics.InitialOffsets;
import io.spillway.kafka.topics.KafkaClients;
import io.spillway.kafka.topics.QueueAdmin;
import io.spillway.kafka.topics.TopicAdmin;
import io.spillway.kafka.topics.Topics;
import io.spillway.kafka.view.CompactedView;
import io.spillway.kafka.view.DemandExchange;
import io.spillway.kafka.view.Demands;
import io.spillway.kafka.view.Depths;
import io.spillway.kafka.view.GrownLimits;
import io.spillway.kafka.view.LoweredLimits;
import io.spillway.kafka.view.PlacementView;
import io.spillway.kafka.view.ShardAssignments;
import io.spillway.kafka.view.Sweeps;
import io.spillway.kafka.view.TenantPolicies;
import io.spillway.router.delay.AttemptMailboxes;
import io.spillway.router.delay.DelayMetrics;
import io.spillway.router.delay.DelayProcessor;
import io.spillway.router.delay.DelayReader;
import io.spillway.router.feedback.AttemptFeed;
import io.spillway.router.feedback.FleetMonitor;
import io.spillway.router.feedback.WorkReader;
import io.spillway.router.ledger.CommitRequester;
import io.spillway.router.ledger.DepthMetrics;
import io.spillway.router.ledger.FoldProcessor;
import io.spillway.router.ledger.LedgerGap;
import io.spillway.router.ledger.LedgerRecorder;
import io.spillway.router.ledger.StuckTransactionDetector;
import io.spillway.router.route.Decider;
import io.spillway.router.route.EarlyStart;
import io.spillway.router.route.ItemDecider;
import io.spillway.router.route.LaneServices;
import io.spillway.router.route.RouteProcessor;
import io.spillway.router.route.RouterMetrics;
import io.spillway.router.route.ShardDemand;
import io.spillway.router.schedules.ScheduleProcessor;
import io.spillway.router.shards.ShardProcessor;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.streams.CloseOptions;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.errors.StreamsUncaughtExceptionHandler.StreamThreadExceptionResponse;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Router of one process: started once, closed once. Owner of its Kafka Streams client and its rate table. */
public final class Router implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Router.class);
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(20);

    private final Configuration configuration;
    private final KafkaClients clients;
    private final Topics topics;
    private final MeterRegistry registry;
    private final InstantSource clock;
    private final Path stateDirectory;
    private final ClockWatch clockWatch;
    private final KafkaStreams streams;
    private final StuckTransactionDetector stuckTransactions;
    private final LoweredLimits limits;
    private final KafkaStreamsMetrics streamsMetrics;
    private final Admin admin;
    private final QueueAdmin queueAdmin;
    private final Housekeeping housekeeping;
    private final WorkReader workReader;
    private final DemandExchange<?> exchange;
    private final FleetMonitor fleetMonitor;
    private final IsolationMonitor isolation;
    private final AttemptFeed attemptFeed;
    private final Sources sources;
    private final CompactedView depthsView;
    private final RestoreProgress restore = new RestoreProgress();
    private final ThreadReplacement replacement = new ThreadReplacement();
    private volatile EarlyStart early = EarlyStart.NEVER;
    private volatile Optional<LocalState> localState = Optional.empty();
    private final CountDownLatch running = new CountDownLatch(1);
    private final CountDownLatch ended = new CountDownLatch(1);

    /**
     * Creates a router that {@link #start} starts.
     *
     * @param configuration  the whole configuration, with a cluster
     * @param instance       name of this process, stable over restarts: part of client names
     * @param stateDirectory directory for the state of Kafka Streams, of this process alone
     * @param policies       view of the policies, already loaded
     * @param sweeps         view of the sweeps, already loaded
     * @param assignments    view of the assigned shards, already loaded; empty where none are assigned
     * @param registry       receives its metrics
     * @param clock          for periodic work, thread supervision and the age of local state; routing uses the time of
     *                       Kafka Streams
     * @param nanoClock      monotonic clock, for durations of failures and stalls, and to notice steps of the other one
     */
    public Router(
            Configuration configuration, String instance, Path stateDirectory, TenantPolicies policies, Sweeps sweeps,
            ShardAssignments assignments, MeterRegistry registry, InstantSource clock, LongSupplier nanoClock) {
        check(configuration);
        this.configuration = configuration;
        this.clients = new KafkaClients(configuration.queue());
        this.topics = new Topics(configuration.queue());
        this.registry = registry;
        this.clock = clock;
        this.stateDirectory = stateDirectory;
        this.clockWatch = new ClockWatch("Router", clock, nanoClock);
        ProportionalRates shares = new ProportionalRates();
        Depths depths = new Depths();
        int maxTenants = configuration.router().maxTenants();
        this.depthsView = new CompactedView(clients, topics.depths(), depths, maxTenants, Optional.empty(), clock);
        this.exchange = DemandExchange.ofRates(clients, topics, Demands.Role.ROUTER, instance, shares, clock);
        RateTable rates = new RateTable(maxTenants, shares);
        Fleet fleet = new Fleet(configuration.router().protection(), topics.partitions());
        RouterMetrics metrics = new RouterMetrics(registry, configuration.metrics().tenants());
        this.admin = clients.admin();
        this.queueAdmin = new QueueAdmin(admin, clients.commands());
        this.limits = new LoweredLimits(() -> new TopicAdmin(admin).loweredLimits(topics.all()));
        CommitRequester requester = new CommitRequester(configuration.router().commitInterval(), nanoClock);
        this.workReader = new WorkReader(
                queueAdmin, topics, requester::commits, configuration.shards().stuckAfter(), nanoClock);
        this.fleetMonitor = new FleetMonitor(
                clients, topics, fleet, workReader::latest, exchange::processes, clock, registry);
        UnreachableSubscriptions unreachable = new UnreachableSubscriptions();
        this.isolation = new IsolationMonitor(
                unreachable, configuration.router().isolation().rule(), fleetMonitor::reports, depths,
                policies, () -> tasks().hasFirst(topics.ingress()), clock, nanoClock, registry);
        PlacementView placements = new PlacementView(configuration.queue(), policies, assignments);
        ShardDemand demand = new ShardDemand(placements, assignments);
        ItemEnds ends = new ItemEnds(sweeps::coveredBeforeMillis, ItemEnds.NO_FAILURES, clockWatch::aheadMillis);
        ItemRouter rules = new ItemRouter(ends, new GrownLimits(depths, maxTenants)::ofLanes, rates,
                new ItemPlacement(fleet, placements));
        LaneServices services = new LaneServices(topics, limits, metrics, new LedgerRecorder(topics), requester,
                (to, atMillis, key, value, headers) -> early.start(to, atMillis, key, value, headers), unreachable,
                tenant -> policies.of(tenant).isTracked(), Optional.empty());
        DelayMetrics delays = new DelayMetrics(
                registry, configuration.metrics().tenants(), topics.partitions(), clock);
        AttemptMailboxes mailboxes = new AttemptMailboxes();
        this.attemptFeed = new AttemptFeed(clients, topics, mailboxes::offer, unreachable, clock, registry);
        var retries = new DelayProcessor.Rules(configuration.retry(), policies::of, ends, mailboxes);
        this.stuckTransactions = new StuckTransactionDetector(nanoClock);
        Decider fresh = new ItemDecider(new ItemReader(ItemSchemas.load(), topics.ingressMaxBytes(),
                ItemLimits.MAX_HEADERS, configuration.router().maxHeaderBytes()), policies, sweeps, rules, metrics,
                topics.partitions(), false);
        var processors = processors(
                services, fresh, rules, policies, sweeps, demand, retries, delays, placements, nanoClock);
        this.streams = new KafkaStreams(
                RouterTopology.build(topics, processors), new StreamsConfig(StreamsProperties.of(
                        configuration, clients, topics, topics.routerGroup(), instance, stateDirectory)),
                new RouterClients(services.recorder(), clock, stuckTransactions, requester, false));
        this.streamsMetrics = new KafkaStreamsMetrics(streams);
        this.sources = new Sources(configuration, instance, stateDirectory, clients, queueAdmin, admin, services, fresh,
                demand, clock, stuckTransactions, registry);
        this.housekeeping = new Housekeeping(queueAdmin, topics, rates,
                List.of(metrics::electTenants, delays::electTenants, limits::readAgain, isolation), depths,
                new DepthMetrics(registry, configuration.metrics().tenants(), depths, policies), clock, nanoClock,
                registry, () -> localState.ifPresent(state -> state.mark(tasks().ids(), clock.millis())));
        configuration.topics().retention().ifPresent(time -> TimeGauge
                .builder("spillway.retention", time::toSeconds, TimeUnit.SECONDS)
                .description("topics.retention: Kafka deletes items that are not finished by then").register(registry));
        Gauge.builder("spillway.router.rate_states", rates, RateTable::size)
                .description("Tenants whose rate this process measures").register(registry);
        FunctionCounter.builder("spillway.router.rate_unmeasured", rates, RateTable::unmeasured)
                .description("Items admitted without measurement because router.maxTenants was reached")
                .register(registry);
    }

    /**
     * Checks the properties for Kafka Streams.
     *
     * @throws io.spillway.core.settings.InvalidSettingException if one is unknown or breaks a guarantee
     */
    public static void check(Configuration configuration) {
        StreamsProperties.check(configuration);
    }

    /**
     * Starts, and returns when records are routed and all timers are restored. Ingress is routed before the restore
     * ends.
     *
     * @param timeout longest time without progress in restoring
     * @throws RouterException when it cannot start in this time or its offsets are lost
     */
    public void start(Duration timeout) {
        new InitialOffsets(clients, queueAdmin, topics, clock, RouterException::new).commitForRouters();
        LocalState state = LocalState.of(admin, topics, stateDirectory);
        state.unusable(clock.millis()).ifPresent(why -> {
            LOG.info("The state in {} cannot be used, because {}; restoring it from Kafka",
                    Printable.of(stateDirectory.toString()), why);
            streams.cleanUp();
        });
        localState = Optional.of(state);
        streams.setStateListener((now, before) -> onState(now));
        streams.setGlobalStateRestoreListener(restore);
        streams.setUncaughtExceptionHandler(this::onThreadFailure);
        StartDelays delays = StartDelays.of(stateDirectory);
        exchange.start(timeout, delays);
        depthsView.start(timeout);
        workReader.start(delays);
        fleetMonitor.start(timeout, delays);
        attemptFeed.start();
        clockWatch.start(delays);
        streams.start();
        streamsMetrics.bindTo(registry);
        try {
            long before;
            do {
                before = restore.events();
            } while (!running.await(timeout.toMillis(), TimeUnit.MILLISECONDS) && restore.events() > before);
            if (running.getCount() > 0 || !isRunning()) {
                throw new RouterException("The router is not running after " + timeout.toSeconds()
                        + " s; its state is " + streams.state() + ". See the log for the cause.");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new RouterException("The start of the router was interrupted. Start it again.");
        }
        housekeeping.start(delays);
        sources.start(delays);
    }

    /** Sets the worker of this process, which may start fresh items before their commits. */
    public void startWith(EarlyStart worker) {
        early = worker;
    }

    /** Sets who carries out what the rules decide; without one they decide nothing. */
    public void decideWith(RuleExecutor executor) {
        isolation.decideWith(executor);
    }

    /** Moves no items while a disk has no room for them. Nothing is lost: it keeps its partitions and its place. */
    public void follow(DiskRoom room) {
        sources.follow(room);
        if (room == DiskRoom.OUT) {
            streams.pause();
        } else {
            streams.resume();
        }
    }

    /** Returns whether it routes, or will after the current rebalance. */
    public boolean isRunning() {
        return streams.state().isRunningOrRebalancing();
    }

    /** Returns whether it works, and no transaction has been open for 10 s: it can commit. */
    public boolean isReady() {
        return isRunning() && !stuckTransactions.isStuck(Duration.ofSeconds(10));
    }

    /** Waits until it has ended, through {@link #close} or through a fatal fault. */
    public void awaitEnd() throws InterruptedException {
        ended.await();
    }

    /** Commits pending work and leaves the group, so that other instances take over at once. Waits at most 20 s. */
    @Override
    public void close() {
        sources.close();
        housekeeping.close();
        workReader.close();
        fleetMonitor.close();
        attemptFeed.close();
        clockWatch.close();
        exchange.close();
        depthsView.close();
        streamsMetrics.close();
        Set<String> ids = tasks().ids();
        // Otherwise a close during a rebalance blocks for the session timeout.
        boolean clean = streams.close(CloseOptions.timeout(CLOSE_TIMEOUT)
                .withGroupMembershipOperation(CloseOptions.GroupMembershipOperation.LEAVE_GROUP));
        if (clean) {
            localState.ifPresent(state -> state.mark(ids, clock.millis()));
        }
        admin.close(Duration.ZERO);
        LOG.info("Router stopped{}", clean ? "" : "; threads did not end within " + CLOSE_TIMEOUT.toSeconds() + " s");
    }

    private LocalTasks tasks() {
        return new LocalTasks(streams);
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

    private StreamThreadExceptionResponse onThreadFailure(Throwable fault) {
        LOG.error("A stream thread failed: {}", Printable.of(fault.toString()), fault.getCause());
        return limits.explain(fault) || replacement.allows(clock.millis())
                ? StreamThreadExceptionResponse.REPLACE_THREAD
                : StreamThreadExceptionResponse.SHUTDOWN_CLIENT;
    }

    private RouterTopology.Processors processors(
            LaneServices services, Decider fresh, ItemRouter rules, TenantPolicies policies, Sweeps sweeps,
            ShardDemand demand, DelayProcessor.Rules retries, DelayMetrics delays, PlacementView placements,
            LongSupplier nanoClock) {
        RouterSettings settings = configuration.router();
        ItemReader delayed = new ItemReader(ItemSchemas.load(), topics.delayedMaxBytes(), ItemLimits.MAX_LANE_HEADERS,
                settings.maxDelayedHeaderBytes());
        Decider due = new ItemDecider(
                delayed, policies, sweeps, rules, services.metrics(), topics.partitions(), true);
        DelayReader delayReader = new DelayReader(delayed);
        LedgerGap gap = LedgerGap.inKafka(clients, topics, nanoClock);
        return new RouterTopology.Processors(
                () -> new RouteProcessor(topics.ingress(), services, fresh, demand),
                () -> new DelayProcessor(services, delayReader, due, retries, delays, settings.threads(), clock),
                () -> new FoldProcessor(gap, tenant -> policies.of(tenant).growth(),
                        settings.forgetTenantsAfter().toMillis()),
                () -> new ShardProcessor(placements.capacity(), settings.maxTenants()),
                () -> new ScheduleProcessor(topics, placements, policies, registry));
    }
}
