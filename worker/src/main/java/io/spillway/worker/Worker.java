package io.spillway.worker;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.kafka.KafkaClientMetrics;
import io.spillway.core.engine.WorkerEngine;
import io.spillway.core.item.ItemLimits;
import io.spillway.core.item.Lane;
import io.spillway.core.overload.Fleet;
import io.spillway.core.overload.HandlingStats;
import io.spillway.core.overload.ProtectionSettings;
import io.spillway.core.retry.DestinationHealth;
import io.spillway.core.routing.ItemPlacement;
import io.spillway.core.scheduling.DispatchSettings;
import io.spillway.core.text.Printable;
import io.spillway.handler.Handler;
import io.spillway.kafka.codec.ItemReader;
import io.spillway.kafka.codec.ItemSchemas;
import io.spillway.kafka.codec.LedgerWriter;
import io.spillway.kafka.periodic.ClockWatch;
import io.spillway.kafka.periodic.StartDelays;
import io.spillway.kafka.topics.InitialOffsets;
import io.spillway.kafka.topics.KafkaClients;
import io.spillway.kafka.topics.QueueAdmin;
import io.spillway.kafka.topics.QueueSettings;
import io.spillway.kafka.topics.TopicAdmin;
import io.spillway.kafka.topics.Topics;
import io.spillway.kafka.view.DemandExchange;
import io.spillway.kafka.view.LoweredLimits;
import io.spillway.kafka.view.PlacementView;
import io.spillway.kafka.view.ShardAssignments;
import io.spillway.kafka.view.StatusPublisher;
import io.spillway.kafka.view.Sweeps;
import io.spillway.kafka.view.TenantPolicies;
import io.spillway.tracing.Tracing;
import io.spillway.worker.carriers.CarrierWatch;
import io.spillway.worker.group.SlotAssignor;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Worker of a queue: started once, closed once. Owner of its threads and its clients, and not of the handler. */
public final class Worker implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Worker.class);
    private static final long HOT_BUFFER_MILLIS = 100;
    private static final Duration NOT_READY_AFTER = Duration.ofSeconds(10);
    /**
     * A consumer has one pending fetch for each broker. Partitions that were paused when it was sent wait for its end,
     * which takes 500 ms by default when the other lanes are empty.
     */
    private static final int FETCH_WAIT_MILLIS = 10;
    /** Time after which a worker without a sign of life loses its partitions. Brokers refuse less than 6 s. */
    private static final int SESSION_MILLIS = 10_000;
    /** Small, because a worker learns with a heartbeat that partitions move. */
    private static final int HEARTBEAT_MILLIS = 500;
    /** The others wait for so long for a worker that does not poll. A call may block for 60 s, and a release for 26. */
    private static final int MAX_POLL_INTERVAL_MILLIS = 90_000;
    /** Small, because the records of one partition delay those of the next in the same fetch. */
    private static final int PARTITION_FETCH_BYTES = 256 * 1024;

    /**
     * Handler that hands items to consumers who ask for them. Attempts start only as far as items are asked for, so
     * that an item keeps waiting in its lane, at no cost and in its fair turn, until a consumer is there. What a call
     * returns counts even if it was interrupted meanwhile, because the consumer has been told so. A call that is
     * interrupted before its consumer has answered must throw.
     */
    public interface OnDemand extends Handler {
        /**
         * Returns the most calls of {@link #handle} that may run now, 0 or more, besides {@code worker.slots} and calls
         * for items suspected of crashing earlier workers. Called often, under a lock of the worker: it must neither
         * block nor call the worker.
         */
        int limit();

        /**
         * Sets what to run, without a lock of this handler, after {@link #limit} has grown. Called once, before the
         * first call of {@link #handle}.
         */
        void onDemand(Runnable grown);
    }

    private final WorkerSettings settings;
    private final StartDelays delays;
    private final String name;
    private final Topics topics;
    private final KafkaClients clients;
    private final Admin admin;
    private final QueueAdmin queues;
    private final InitialOffsets initialOffsets;
    private final WorkerCore core;
    private final SameName sameName;
    private final Outage commitOutage;
    private final Outage pollOutage;
    private final CommitThread committer;
    private final PollThread poller;
    private final LaneMonitor monitor;
    private final ClockWatch clockWatch;
    private final CarrierWatch carriers = new CarrierWatch();
    private final LaneReporter reporter;
    private final AttemptReporter attemptReporter;
    private final TimeoutReporter timeoutReporter;
    private final DemandExchange<?> concurrency;
    private final CountDownLatch ended = new CountDownLatch(1);
    private final AtomicBoolean closing = new AtomicBoolean();
    /** By client, because the producer may be replaced. */
    private final Map<String, KafkaClientMetrics> clientMetrics = new ConcurrentHashMap<>();
    private volatile boolean running;
    private volatile String failure = "";

    /**
     * Creates a worker.
     *
     * @param tenantSeries  maximum number of tenants with metric series of their own, 0 or more; the others share one
     * @param instance      name of this process, the same after a restart; {@code worker.id} takes precedence
     * @param delays        first delays of the periodic tasks of this process
     * @param handler       must not be closed before the worker
     * @param policies      view of the policies, already loaded
     * @param sweeps        view of the sweeps, already loaded
     * @param tracing       source of the spans of attempts
     * @param nanoClock     clock for durations
     * @param random        source of jitter
     */
    public Worker(
            QueueSettings queue, WorkerSettings settings, int tenantSeries, String instance, StartDelays delays,
            Handler handler, TenantPolicies policies, Sweeps sweeps, MeterRegistry registry, Tracing tracing,
            InstantSource clock, LongSupplier nanoClock, RandomGenerator random) {
        this.settings = settings;
        this.delays = delays;
        this.name = settings.id().isEmpty() ? instance : settings.id();
        this.topics = new Topics(queue);
        this.clients = new KafkaClients(queue);
        this.admin = clients.admin();
        this.queues = new QueueAdmin(admin, clients.commands());
        this.initialOffsets = new InitialOffsets(clients, queues, topics, clock, WorkerException::new);
        DestinationHealth health = new DestinationHealth(DestinationHealth.MAX_TENANTS);
        WorkerMetrics metrics = new WorkerMetrics(registry, tenantSeries, handler.fansOut(),
                tenant -> health.isTenantUnavailable(tenant, clock.millis()), settings.lateAfter(), clock);
        this.clockWatch = new ClockWatch("Worker", clock, nanoClock);
        // The limits of the dead-letter lane, because moves add headers to items that ingress accepted.
        ItemReader reader =
                new ItemReader(ItemSchemas.load(), topics.deadLetterMaxBytes(), ItemLimits.MAX_LANE_HEADERS);
        ItemGate gate = new ItemGate(reader, policies, sweeps, clockWatch::aheadMillis);
        DispatchSettings dispatch = new DispatchSettings(
                settings.slots(), settings.reserve(), settings.overflowTrickle(), settings.agedTrickle(),
                settings.readAheadItems(), settings.readAheadBytes(), HOT_BUFFER_MILLIS, true);
        Fleet fleet = new Fleet(ProtectionSettings.OFF, topics.partitions());
        ItemPlacement placement =
                new ItemPlacement(fleet, new PlacementView(queue, policies, new ShardAssignments()));
        LoweredLimits limits = new LoweredLimits(() -> new TopicAdmin(admin).loweredLimits(topics.all()));
        WorkerEngine<LaneItem, Attempt> engine = new WorkerEngine<>(dispatch, health, settings.killerDeaths(), gate,
                Attempt.factory(clock, nanoClock, settings.leaseMax()));
        Outbox outbox = new Outbox(
                new LaneRecords(topics, limits, placement, policies::context, clock), metrics, clock);
        this.core = new WorkerCore(gate, engine, outbox,
                handler instanceof OnDemand onDemand ? onDemand::limit : () -> Integer.MAX_VALUE,
                clock, nanoClock, random);
        HandlingStats stats = new HandlingStats(nanoClock.getAsLong());
        AttemptRunner runner = new AttemptRunner(
                handler, metrics, stats, core, tracing, topics.workerGroup(), nanoClock, this::fail);
        if (handler instanceof OnDemand onDemand) {
            onDemand.onDemand(() -> runner.run(core.receive(List.of())));
        }
        this.sameName = new SameName(name, () -> queues.members(topics.workerGroup(), clientId()));
        this.commitOutage = new Outage(settings.kafkaTimeout(), nanoClock);
        this.pollOutage = new Outage(settings.kafkaTimeout(), nanoClock);
        WorkerTransactions transactions = new WorkerTransactions(
                () -> producer(registry), partitions -> queues.committed(partitions, topics.workerGroup()),
                new LedgerWriter(topics), sameName, commitOutage, limits);
        this.committer = new CommitThread(
                core, runner, metrics, transactions, settings.commitInterval(), nanoClock, this::fail);
        this.poller = new PollThread(core, runner, committer, metrics, topics, settings.drainGrace(),
                () -> consumer(registry), pollOutage, this::fail);
        this.monitor = new LaneMonitor(core, metrics, queues, clients, topics, queue.shards().stuckAfter(),
                () -> {
                    health.prune(clock.millis());
                    limits.readAgain();
                    requireSlots();
                }, fleet, clock, nanoClock);
        this.reporter = new LaneReporter(
                new StatusPublisher(clients, topics.laneState(), name), name,
                () -> stats.report(
                        settings.slots(), core.waiting(Lane.HOT),
                        LaneReporter.byLane(topics, core.partitions()), nanoClock.getAsLong())
                        .with(monitor.exchangeSuspects(name)), clock);
        this.attemptReporter = new AttemptReporter(
                new StatusPublisher(clients, topics.attempts(), name), name, health::takeCounts, clock);
        this.timeoutReporter = new TimeoutReporter(
                new StatusPublisher(clients, topics.timeouts(), name), name,
                most -> TimeoutReporter.busiest(most, core, policies::of, health, clock.millis()), clock);
        this.concurrency = DemandExchange.ofSlots(clients, topics, name,
                shares -> core.read(state -> state.dispatch().share(shares)), clock);
        metrics.watch(core, settings.slots(), () -> health.unavailable(clock.millis()), clock, nanoClock);
    }

    /**
     * Starts the worker and waits until it has joined its group. Without a partition, because there are more workers
     * than partitions, it idles until another one leaves.
     *
     * @throws WorkerException when it has not joined within the timeout, or the group has lost its offsets
     */
    public void start(Duration timeout) {
        initialOffsets.commitForWorkers();
        sameName.start();
        int dead = queues.removeMembers(topics.workerGroup(), clientId());
        if (dead > 0) {
            LOG.info("An earlier process of worker {} has not left the group, and was removed from it", name);
        }
        running = true;
        concurrency.start(timeout, delays);
        monitor.start(timeout, delays);
        // Before it owns a partition, so that its suspects wait for its turn.
        monitor.exchangeSuspects(name);
        committer.start();
        poller.start();
        clockWatch.start(delays);
        carriers.start();
        reporter.start(delays);
        attemptReporter.start(delays);
        timeoutReporter.start(delays);
        try {
            if (!poller.awaitJoined(timeout) || !running) {
                throw new WorkerException(
                        "The worker has not joined its group after " + timeout.toSeconds() + " s. See the log.");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new WorkerException("Interrupted while the worker started.");
        }
    }

    /** Returns whether the worker runs: it was started, and neither closed nor ended by a failure. */
    public boolean isRunning() {
        return running;
    }

    /** Returns whether the worker runs, and its calls to Kafka have not failed for 10 s or longer. */
    public boolean isReady() {
        return running && !commitOutage.hasLasted(NOT_READY_AFTER) && !pollOutage.hasLasted(NOT_READY_AFTER);
    }

    /** Waits until the worker has ended, and returns the failure in one line, or nothing after {@link #close}. */
    public String awaitEnd() throws InterruptedException {
        ended.await();
        return failure;
    }

    /** Waits for handler calls within {@code worker.drainGrace}, commits, and leaves the group. */
    @Override
    public void close() {
        running = false;
        if (!closing.compareAndSet(false, true)) {
            return;
        }
        reporter.close();
        attemptReporter.close();
        timeoutReporter.close();
        poller.close();
        committer.close();
        concurrency.close();
        monitor.close();
        clockWatch.close();
        carriers.close();
        clientMetrics.values().forEach(KafkaClientMetrics::close);
        admin.close(Duration.ZERO);
        ended.countDown();
        LOG.info("Worker stopped");
    }

    /** A new process has its slots again; the items of the attempts that hold them have ended. */
    private void requireSlots() {
        if (core.count(Attempt::isGivenUp) >= settings.slots()) {
            fail(new WorkerException("As many attempts as worker.slots (" + settings.slots() + ") ignore their"
                    + " interrupt. Restart the worker, and repair the handler: its stuck dead letters name the items."));
        }
    }

    private void fail(Throwable cause) {
        boolean isKnown = cause instanceof WorkerException;
        if (running) {
            failure = Printable.of(isKnown ? cause.getMessage() : cause.toString());
            LOG.error("The worker ends{}: {}", isKnown ? ""
                    : " after a failure. Items without a commit are delivered again", failure, isKnown ? null : cause);
        }
        running = false;
        // Routers must not send to a worker that has ended and is not closed yet.
        reporter.close();
        ended.countDown();
    }

    private String clientId() {
        return topics.workerGroup() + "." + name;
    }

    private Producer<byte[], byte[]> producer(MeterRegistry registry) {
        String id = clientId();
        Producer<byte[], byte[]> producer = clients.producer(Map.of(
                ProducerConfig.TRANSACTIONAL_ID_CONFIG, id,
                ProducerConfig.TRANSACTION_TIMEOUT_CONFIG, (int) settings.transactionTimeout().toMillis(),
                ProducerConfig.RETRY_BACKOFF_MS_CONFIG, 5,
                ProducerConfig.LINGER_MS_CONFIG, 0,
                // Different from the consumer's id, because some of their metrics have the same name.
                ProducerConfig.CLIENT_ID_CONFIG, id + ".moves"));
        bind("producer", new KafkaClientMetrics(producer), registry);
        return producer;
    }

    /** Registers the metrics of a client in place of those of the client that it replaces. */
    private void bind(String client, KafkaClientMetrics metrics, MeterRegistry registry) {
        Optional.ofNullable(clientMetrics.put(client, metrics)).ifPresent(KafkaClientMetrics::close);
        metrics.bindTo(registry);
    }

    private KafkaConsumer<byte[], byte[]> consumer(MeterRegistry registry) {
        KafkaConsumer<byte[], byte[]> consumer = clients.consumer(Map.ofEntries(
                Map.entry(ConsumerConfig.GROUP_ID_CONFIG, topics.workerGroup()),
                Map.entry(ConsumerConfig.GROUP_PROTOCOL_CONFIG, "classic"),
                Map.entry(ConsumerConfig.PARTITION_ASSIGNMENT_STRATEGY_CONFIG, List.of(SlotAssignor.class)),
                Map.entry(SlotAssignor.SLOTS, settings.slots()),
                Map.entry(ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG, SESSION_MILLIS),
                Map.entry(ConsumerConfig.HEARTBEAT_INTERVAL_MS_CONFIG, HEARTBEAT_MILLIS),
                Map.entry(ConsumerConfig.MAX_POLL_INTERVAL_MS_CONFIG, MAX_POLL_INTERVAL_MILLIS),
                // Only so that the next process of this worker can remove this member if it dies.
                Map.entry(ConsumerConfig.GROUP_INSTANCE_ID_CONFIG, UUID.randomUUID().toString()),
                Map.entry(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, PollThread.MAX_RECORDS),
                Map.entry(ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG, FETCH_WAIT_MILLIS),
                Map.entry(ConsumerConfig.FETCH_MAX_BYTES_CONFIG, 8 * 1024 * 1024),
                Map.entry(ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG, PARTITION_FETCH_BYTES),
                Map.entry(ConsumerConfig.CLIENT_ID_CONFIG, clientId())));
        bind("consumer", new KafkaClientMetrics(consumer), registry);
        return consumer;
    }
}
